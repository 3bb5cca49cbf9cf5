"""A place for tools, empty at the start of each test."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.apps import Workshop


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)
