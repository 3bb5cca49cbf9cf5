"""The stores that the audit is kept in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ambidex.stores.base import Store
from ambidex.stores.open import open_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A durable one."""
    opened = open_store(f"sqlite:{tmp_path / 'ambidex.db'}")
    yield opened
    opened.close()


@pytest.fixture
def memory() -> Iterator[Store]:
    opened = open_store("memory:")
    yield opened
    opened.close()


@pytest.fixture(params=["memory", "store"])
def any_store(request: pytest.FixtureRequest) -> Store:
    opened: Store = request.getfixturevalue(request.param)
    return opened
