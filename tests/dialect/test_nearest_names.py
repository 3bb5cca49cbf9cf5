"""The name that was probably meant."""

from __future__ import annotations

from ambidex.dialect.nearest import nearest_names

KNOWN = ["kb_search", "kb_get", "calendar_create_event"]


def test_a_misspelt_name_finds_its_neighbour() -> None:
    assert nearest_names("kb_serach", KNOWN) == ["kb_search"]


def test_case_hyphens_and_spaces_do_not_count() -> None:
    assert nearest_names("KB-Search", KNOWN) == ["kb_search"]
    assert nearest_names("calendar create event", KNOWN) == ["calendar_create_event"]


def test_a_name_like_none_finds_none() -> None:
    assert nearest_names("xyz", KNOWN) == []


def test_a_text_is_no_misspelt_name() -> None:
    assert nearest_names("kb_search" * 100, KNOWN) == []
