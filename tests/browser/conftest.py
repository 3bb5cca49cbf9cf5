"""One studio that is served and one Chromium for all tests of the page; each test has a conversation of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio
from tests.browser.chromium import executable, launched
from tests.browser.studio import make_studio, serving
from tests.browser.visitor import Visitors


@dataclass(frozen=True, slots=True)
class Studio:
    folder: Path
    url: str


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    executable()  # said before anything is made
    folder = make_studio(tmp_path_factory.mktemp("page") / "studio")
    with serving(folder) as url:
        yield Studio(folder, url)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def all_visitors(studio: Studio) -> AsyncIterator[Visitors]:
    async with launched(executable()) as browser:
        yield Visitors(browser, studio.url)


@pytest_asyncio.fixture(loop_scope="module")
async def visitors(all_visitors: Visitors) -> AsyncIterator[Visitors]:
    """Whoever came is sent home after the test, and has complained about nothing and asked nobody else."""
    yield all_visitors
    assert await all_visitors.leave() == []
