from __future__ import annotations

import pytest

from ambidex.dialect.preview import PreviewError, placeholders


def test_placeholders_are_found_with_their_places() -> None:
    assert placeholders('Create "{title}" for {who.name} {{at}}') == [("title", 9), ("who.name", 22)]


@pytest.mark.parametrize("template", ["{", "}", "a } b", "{}", "{0}", "{a!r}", "{a:>9}", "{a[0]}", "{ a }", "{a..b}"])
def test_anything_else_in_braces_is_refused(template: str) -> None:
    with pytest.raises(PreviewError):
        placeholders(template)
