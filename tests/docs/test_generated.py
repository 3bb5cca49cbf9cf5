from __future__ import annotations

from docs.generate import HERE, pages


def test_generated_pages_say_what_the_code_says() -> None:
    stale = [path.name for path, text in pages().items() if not path.is_file() or path.read_text() != text]
    assert stale == [], "run `make docs`"


def test_every_lint_has_a_page_and_no_page_is_left_over() -> None:
    assert set((HERE / "lints").glob("*.md")) <= set(pages())
