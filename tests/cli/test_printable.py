"""Text of others on our terminal."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from ambidex.cli.printable import printable, printable_json


@given(st.text())
def test_nothing_that_cannot_be_seen_is_printed(text: str) -> None:
    assert printable(text).isprintable()


@given(st.text(st.characters(exclude_categories=["Cs"])) | st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_json_stays_the_same_value(value: object) -> None:
    for indent in (None, 2):
        shown = printable_json(value, indent=indent)
        assert json.loads(shown) == value
        assert all(line.isprintable() for line in shown.split("\n"))
