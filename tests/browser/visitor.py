"""Somebody in front of the page: what they do, and what they see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Locator, Page

PATIENCE_MS = 45_000


class Visitor:
    """A browser of their own with one tab, and everything that its page complains about or asks for."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.problems: list[str] = []
        self.asked: list[str] = []
        page.set_default_timeout(PATIENCE_MS)
        page.on("console", lambda said: self.problems.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))

    async def says(self, text: str) -> None:
        """Write it, send it, and wait until the whole answer is there."""
        answers = await self.answers.count()
        await self.page.fill("#say", text)
        await self.page.press("#say", "Enter")
        await self.answered(answers + 1)

    async def answered(self, count: int) -> None:
        """Until so many answers are there, and none of them is being written any more."""
        await self.answers.nth(count - 1).wait_for()
        await self.page.locator(".message.agent:not([aria-busy])").nth(count - 1).wait_for()

    @property
    def answers(self) -> Locator:
        return self.page.locator(".message.agent")

    @property
    def last(self) -> Locator:
        return self.answers.last

    @property
    def card(self) -> Locator:
        """The request that waits for this person."""
        return self.page.locator(".card:not(.settled)")

    async def sees(self, text: str) -> None:
        """Until the page shows it."""
        await self.page.get_by_text(text).first.wait_for()

    async def conversation(self) -> str:
        return await self.page.locator("#messages").inner_text()

    async def focused(self) -> str:
        """The name of what the keyboard is on."""
        name = await self.page.evaluate("() => document.activeElement.id || document.activeElement.textContent")
        return str(name)


class Visitors:
    """Everybody who comes during a test."""

    def __init__(self, browser: Browser, url: str) -> None:
        self._browser = browser
        self._url = url
        self._contexts: list[BrowserContext] = []
        self._came: list[Visitor] = []

    async def come(self, address: str | None = None, **looks: Any) -> Visitor:
        """With a browser that shares nothing with the others'; to a conversation, or to a new one."""
        context = await self._browser.new_context(**looks)
        visitor = Visitor(await context.new_page())
        self._contexts.append(context)
        self._came.append(visitor)
        await visitor.page.goto(address or self._url)
        return visitor

    async def leave(self) -> list[str]:
        """Everybody goes home; what went wrong meanwhile: complaints of pages, and requests to any other server."""
        problems = [problem for visitor in self._came for problem in visitor.problems]
        problems += [url for visitor in self._came for url in visitor.asked if not url.startswith(self._url)]
        self._came.clear()
        while self._contexts:
            await self._contexts.pop().close()
        return problems
