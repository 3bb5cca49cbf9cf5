"""Two sizes for one test: small in the suite, full under `make soak`."""

from __future__ import annotations

import os
from typing import TypeVar

T = TypeVar("T")
FULL = os.environ.get("AMBIDEX_SOAK") == "1"


def soak(small: T, full: T) -> T:
    return full if FULL else small
