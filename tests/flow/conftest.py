"""One small project for the whole walk: a look-up, and a write that a person approves."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.apps import Workshop


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path).reading("look").gated("send", preview="Send to {name}")
