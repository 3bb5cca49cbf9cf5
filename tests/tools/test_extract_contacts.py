"""extract_contacts: exact positions, no overlaps, and rules that find people without inventing them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tools.calling import module_of

find_contacts = module_of("extract-contacts", "finding").find_contacts

FRAGMENTS = st.sampled_from(
    [
        "Maria Lopez",
        "Dr. Weber",
        "Jürgen von der Heide",
        "maria.lopez@example.org",
        "müller@web.example",
        "+1 415 555 2671",
        "(415) 555-2671",
        "030 12345678",
        "https://example.org/a_(b)",
        "http://x.example/?q=bob@x.example",
        "https://a@b.example",
        "Kind regards,\n",
        "my name is",
        "👋",
        "e\u0301",
        "@",
        "..",
        "<",
        ">",
        "(",
        ")",
        "\u00a0",
        "\n",
        "von",
        "J.",
    ]
)
TEXTS = st.lists(FRAGMENTS | st.text(max_size=6), max_size=12).flatmap(
    lambda parts: st.sampled_from(["", " ", ", "]).map(lambda glue: glue.join(parts))
)
HOSTILE = [
    "@" * 20000,
    "a@" * 10000,
    "a." * 10000,
    "..a@" * 5000,
    "a@" + "b." * 9000,
    "https://" * 2500,
    "https://a" + ")" * 19000,
    "A " * 10000,
    "Maria " * 3333,
    "A'" * 10000,
    "Dr. " * 5000,
    "von " * 5000,
    "1 " * 10000,
    "(" * 20000,
    "\n" * 20000,
]


def found(text: str, kind: str, region: str = "US") -> list[str]:
    return [item["name" if kind == "people" else "value"] for item in find_contacts(text, region)[kind]]


def check_places(text: str, contacts: dict[str, list[dict[str, Any]]]) -> None:
    for kind, shown in (("people", "name"), ("emails", "value"), ("phones", "raw"), ("urls", "value")):
        for item in contacts[kind]:
            assert text[item["start"] : item["end"]] == item[shown]
    places = sorted((item["start"], item["end"]) for items in contacts.values() for item in items)
    assert all(left[1] <= right[0] for left, right in pairwise(places))
    for kind, value in (("people", "name"), ("emails", "value"), ("phones", "value"), ("urls", "value")):
        folded = [item[value].casefold() for item in contacts[kind]]
        assert len(folded) == len(set(folded))
        assert [item["start"] for item in contacts[kind]] == sorted(item["start"] for item in contacts[kind])


@given(text=TEXTS)
@settings(max_examples=200, deadline=None)
def test_positions_are_exact_and_nothing_overlaps_or_repeats(text: str) -> None:
    check_places(text, find_contacts(text, "US"))


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:9]))
def test_hostile_text_is_answered_like_any_other(text: str) -> None:
    check_places(text, find_contacts(text, "US"))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Tell Maria Lopez and Hans-Peter Weber.", ["Maria Lopez", "Hans-Peter Weber"]),
        ("Ask Dr. Weber, Mrs. O'Brien or Prof. J. Okafor.", ["Weber", "O'Brien", "J. Okafor"]),
        ("Frau Dr. Schmidt", ["Schmidt"]),
        ("Hi, my name is Xochitl.", ["Xochitl"]),
        ("Hi, this is Oluwaseun Adeyemi calling.", ["Oluwaseun Adeyemi"]),
        ("I’m Peter.", ["Peter"]),
        ("Bob <bob@x.example>", ["Bob"]),
        ("Zoltan Horvath, zhorvath@x.example", ["Zoltan Horvath"]),
        ("Viele Grüße,\nOluwaseun Adeyemi\nHarbour Lights", ["Oluwaseun Adeyemi"]),
        ("Maria de la Cruz met JOHN SMITH", ["Maria de la Cruz", "JOHN SMITH"]),
        ("José Álvarez", ["José Álvarez"]),
    ],
)
def test_people_are_found_by_evidence(text: str, names: list[str]) -> None:
    assert found(text, "people") == names


@pytest.mark.parametrize(
    "text",
    [
        "New York and San Francisco",
        "Martin Luther University",
        "Charlotte Airport, Victoria Station",
        "Project Phoenix begins on Monday",
        "Annual Report and Quiet Rooms",
        "I'm German.",
        "Photo: Quiet Rooms, plan: Blue Harbour",
        "Thanks. Maria. Done",
        "maria lopez",
    ],
)
def test_capital_letters_alone_are_no_evidence(text: str) -> None:
    assert found(text, "people") == []


@pytest.mark.parametrize(
    ("text", "emails"),
    [
        ("see...bob@x.org...thanks", ["bob@x.org"]),
        ("<mailto:o'neil+tag@mail.x.co.uk>", ["o'neil+tag@mail.x.co.uk"]),
        ("'joe@x.com'", ["joe@x.com"]),
        ("müller@bücher.example", ["müller@bücher.example"]),
        ("联系bob@x.com。", ["bob@x.com"]),
        ("a@b a@b.c @x.com bob@ bob.@x.com bob@-x.com bob@x..com", []),
        (f"{'a' * 65}@x.com", []),
        (f"{'a' * 64}@x.com", [f"{'a' * 64}@x.com"]),
    ],
)
def test_addresses_end_where_the_sentence_goes_on(text: str, emails: list[str]) -> None:
    assert found(text, "emails") == emails


@pytest.mark.threat("H05")
@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("(see https://x.org/a_(b)).", ["https://x.org/a_(b)"]),
        ("HTTPS://X.org/Path?q=1#top!", ["HTTPS://X.org/Path?q=1#top"]),
        ("http://localhost:8000/, http://[::1]:80/x", ["http://localhost:8000/", "http://[::1]:80/x"]),
        ("https://bank.example@evil.example https://user:pw@x.org", []),
        ("javascript:alert(1) data:text/html,x ftp://x.org www.x.org", []),
        ("https:// https://?x https://:80", []),
    ],
)
def test_only_plain_web_links_count(text: str, urls: list[str]) -> None:
    assert found(text, "urls") == urls


def test_nothing_inside_a_refused_link_is_an_address() -> None:
    assert found("https://bank.example@evil.example/x", "emails") == []


def test_numbers_are_read_as_the_region_dials_them() -> None:
    assert found("030 12345678", "phones", "DE") == ["+493012345678"]
    assert found("030 12345678", "phones", "US") == []
    assert found("+49 30 12345678", "phones", "US") == ["+493012345678"]


def test_dates_and_order_numbers_are_no_phone_numbers() -> None:
    assert found("2026-03-02 14:30, order 1234567, 1111111111", "phones") == []
