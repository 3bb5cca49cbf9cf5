"""Takes docs/images/page.png: the page of a real server in use. `make screenshot` runs it."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from tests.browser.chromium import executable, launched
from tests.browser.studio import make_studio, serving
from tests.browser.visitor import Visitors

OUT = Path(__file__).parents[2] / "docs" / "images" / "page.png"
_SIZE = {"width": 1200, "height": 800}
_GREETING = "Hello"
"""The first answer tells at length that no model is connected; it scrolls away."""
_QUESTION = "Search for the Moon Room"
_WISH = "Book the harbour room tomorrow at 10:00 for 6 guests"


async def shoot(url: str, out: Path) -> None:
    """A question with its cited answer, and below it a wish that waits for approval."""
    async with launched(executable()) as browser:
        visitors = Visitors(browser, url)
        ann = await visitors.come(viewport=_SIZE, color_scheme="light", reduced_motion="reduce")
        await ann.says(_GREETING)
        await ann.says(_QUESTION)
        await ann.says(_WISH)
        await ann.card.wait_for()
        await ann.page.screenshot(path=out)
        if problems := await visitors.leave():
            raise SystemExit("\n".join(problems))


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="ambidex-page-") as folder:
        studio = make_studio(Path(folder) / "studio", embedder="auto")
        with serving(studio) as url:
            asyncio.run(shoot(url, OUT))
    print(f"{OUT.name}  {OUT.stat().st_size // 1024} KB", file=sys.stderr)


if __name__ == "__main__":
    main()
