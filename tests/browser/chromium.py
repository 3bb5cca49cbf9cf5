"""Real Chromium, headless and silent: the machine's own, never one that is downloaded."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.async_api import Browser

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_HOW = (
    "these tests need Chromium: run `make chromium` (root on Debian or Ubuntu), or install it with your system's "
    "package manager so that `chromium` is on PATH; AMBIDEX_NO_BROWSER=1 leaves them out"
)
_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # What the browser itself would like to ask other hosts fails inside it.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
)


def executable() -> str:
    """Without it tests fail and say what to do: a skipped test would look like a passed one."""
    if os.environ.get("AMBIDEX_NO_BROWSER") == "1":
        pytest.skip("AMBIDEX_NO_BROWSER=1")
    return next(filter(None, map(shutil.which, _NAMES)), None) or pytest.fail(_HOW)


@asynccontextmanager
async def launched(path: str) -> AsyncIterator[Browser]:
    """A browser with a fresh profile; each of its contexts is a browser of its own to the pages in it."""
    from playwright.async_api import async_playwright

    async with async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=path, args=list(_FLAGS))
        try:
            yield browser
        finally:
            await browser.close()
