"""A Markdown file as one record: what it says, and what is made up for what it leaves out."""

from __future__ import annotations

import re
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ambidex.capabilities.kb.importing.entries import Fields
from ambidex.capabilities.kb.importing.markdown import MAX_BYTES, entries, first_heading, slug
from ambidex.capabilities.kb.importing.reading import OpenFile
from ambidex.capabilities.kb.importing.told import Unfit
from ambidex.capabilities.kb.record import parse_record


def read(text: str | bytes, inside: str = "notes/A plan.md") -> Fields:
    data = text.encode() if isinstance(text, str) else text
    [entry] = entries(OpenFile(BytesIO(data), len(data), "2026-01-01T00:00:00Z"), inside)
    return entry.fields()


def values(text: str, inside: str = "notes/A plan.md") -> dict[str, Any]:
    return dict(read(text, inside).values)


def test_a_bare_note_gets_an_id_from_its_path_and_a_title_from_its_first_heading() -> None:
    assert values("Words.\n\n# The *great* `plan`\n\nMore.\n") == {
        "id": "doc:notes-a-plan",
        "title": "The great plan",
        "text": "Words.\n\n# The *great* `plan`\n\nMore.",
    }


def test_a_note_without_a_heading_is_called_as_its_file() -> None:
    assert values("Words.", "a/my_first-note.md")["title"] == "my first note"
    assert values("```\n# code\n```\n", "x.md")["title"] == "x", "a heading in a code block is code"


def test_front_matter_wins() -> None:
    found = values("---\nid: person:ann\ntitle: Ann\ntags: [x]\n---\n# Other\n")
    assert (found["id"], found["title"], found["tags"], found["text"]) == ("person:ann", "Ann", ["x"], "# Other")


def test_a_type_without_an_id_goes_into_the_id() -> None:
    assert values("---\ntype: process\n---\nx", "Onboarding.md")["id"] == "process:onboarding"


def test_fields_of_other_programs_become_metadata() -> None:
    found = values("---\ndate: 2024-05-01\ncssclass: wide\nmetadata: {client: Acme}\n---\nx")
    assert found["metadata"] == {"date": "2024-05-01", "cssclass": "wide", "client": "Acme"}


def test_a_slip_of_the_pen_is_told_with_its_line() -> None:
    with pytest.raises(Unfit, match="titel is no field; write title") as caught:
        read("---\nid: doc:a\ntitel: A\n---\nx")
    assert caught.value.line == 3


def test_fields_know_their_lines() -> None:
    fields = read("---\nid: doc:a\nurl: x\n---\n\nText")
    assert (fields.lines["url"], fields.lines["text"]) == (3, 5)


def test_text_that_is_not_utf8_is_told_with_its_line() -> None:
    with pytest.raises(Unfit, match=r"not UTF-8 \(byte 0xff\)") as caught:
        read(b"# A\n\n\xff\n")
    assert caught.value.line == 3


def test_a_text_of_ten_megabytes_is_refused_unread() -> None:
    stream = BytesIO(b"x")
    with pytest.raises(Unfit, match="10,485,760 bytes"):
        next(entries(OpenFile(stream, 10 << 20, ""), "a.md"))
    assert stream.tell() == 0
    assert MAX_BYTES < 10 << 20


@pytest.mark.parametrize(
    ("inside", "made"),
    [
        ("Projects/Année 1.md", "projects-annee-1"),
        ("a_b--c.MD", "a-b-c"),
        ("v1.2 notes.md", "v1-2-notes"),
    ],
)
def test_a_slug_reads_like_its_path(inside: str, made: str) -> None:
    assert slug(inside) == made


def test_names_of_which_letters_are_lost_stay_apart() -> None:
    assert slug("計画.md") != slug("会議.md")
    assert slug("x" * 200 + "a.md") != slug("x" * 200 + "b.md")


@settings(max_examples=100)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40))
def test_any_path_makes_an_id(name: str) -> None:
    record = parse_record({"id": f"doc:{slug(name + '.md')}", "title": "x"}, default_updated="2026-01-01T00:00:00Z")
    assert re.fullmatch(r"doc:[a-z0-9][a-z0-9-]*", record.id)


def test_a_heading_is_a_heading_by_commonmark() -> None:
    assert first_heading("#hashtag\n\nSetext\n======\n")[0] == "Setext"
    assert first_heading("#\n\n## [Link](https://x.example)\n")[0] == "Link"


def test_a_title_that_opens_the_text_is_not_kept_twice() -> None:
    assert values("\n# Plan\n\nWords.\n")["text"] == "Words."
    assert values("---\ntitle: Plan\n---\nPlan\n====\nWords.\n")["text"] == "Words."
    assert values("---\ntitle: Other\n---\n# Plan\nWords.\n")["text"] == "# Plan\nWords."
