"""The page in a real browser: a cited answer, and an approval in one tab that is seen settled in the other."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.server.scripted import Scripted, calls
from tests.server.site import served
from tests.support.apps import Workshop

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
playwright = pytest.importorskip("playwright.async_api")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")

FINDS = """\
from ambidex import ok

async def execute(args, context):
    return ok({"results": [{"id": "room:4", "title": "Room <b>4</b>", "url": "https://rooms.example/4"}]})
"""


@pytest.fixture
async def browser() -> AsyncIterator[BrowserContext]:
    async with playwright.async_playwright() as driver:
        chromium = await driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield await chromium.new_context()
        await chromium.close()


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path).reading("look", handler=FINDS).gated("send")


async def opened(browser: BrowserContext, url: str, problems: list[str]) -> Page:
    page = await browser.new_page()
    page.set_default_timeout(10_000)
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    await page.goto(url)
    return page


async def test_an_approval_in_one_tab_is_seen_settled_in_the_other(browser: BrowserContext, workshop: Workshop) -> None:
    problems: list[str] = []
    script = Scripted(
        calls(("c1", "look", {"name": "rooms"})),
        "Room 4 is free: room:4.",
        calls(("c2", "send", {"name": "Ann"})),
        "Sent.",
    )
    async with served(workshop, script) as site:
        first = await opened(browser, site.url, problems)
        await first.fill("#say", "which room is free?")
        await first.press("#say", "Enter")
        await first.wait_for_selector(".sources a")
        assert await first.inner_text(".sources a") == "Room <b>4</b>"
        assert await first.inner_text(".timeline .ok")
        await first.fill("#say", "tell Ann")
        await first.press("#say", "Enter")
        await first.wait_for_selector(".card button")
        second = await opened(browser, first.url, problems)
        await second.wait_for_selector(".card button")
        assert "Ann" in await second.inner_text(".card pre")
        await second.click(".card button:has-text('Approve')")
        await second.wait_for_selector("text=Sent.")
        await first.wait_for_selector("text=Sent.")
        assert await first.query_selector(".card button") is None
    assert len(workshop.runs("send")) == 1
    assert problems == []


async def test_a_rejection_is_told_and_the_page_keeps_working(browser: BrowserContext, workshop: Workshop) -> None:
    problems: list[str] = []
    async with served(workshop, Scripted(calls(("c1", "send", {"name": "Ann"})), "As you wish.", "Hello.")) as site:
        page = await opened(browser, site.url, problems)
        await page.fill("#say", "tell Ann")
        await page.press("#say", "Enter")
        await page.click(".card button:has-text('Reject')")
        await page.wait_for_selector("text=As you wish.")
        await page.fill("#say", "hi")
        await page.press("#say", "Enter")
        await page.wait_for_selector("text=Hello.")
    assert not workshop.runs("send")
    assert problems == []
