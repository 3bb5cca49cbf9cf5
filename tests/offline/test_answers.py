"""A plain sentence from a tool's data, whatever tool it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambidex.contracts.faults import ErrorType
from ambidex.offline.answers import tell
from ambidex.offline.extract import answer_from
from ambidex.offline.meaning import WordMeaning

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def _told(tool: str, body: Mapping[str, Any], question: str = "") -> str:
    return tell(tool, body, question, WordMeaning, voice=False)


@pytest.mark.parametrize(
    ("tool", "data", "said"),
    [
        ("format_datetime", {"text": "Monday", "iso": "x", "timezone": "UTC"}, "Monday (UTC)."),
        ("extract_contacts", {"people": [], "emails": [{"value": "a@b.example"}]}, "I found:\n- emails: a@b.example"),
        ("extract_contacts", {"people": []}, "There is no name, address, number or link in that text."),
        ("image_draft_prompt", {"variants": [{"prompt": "A boat"}]}, "Here is a draft:\n1. A boat"),
        (
            "start_voice_session",
            {"session_id": "s"},
            "A voice session is ready: accept it on your screen and go on speaking.",
        ),
        ("end_voice_session", {"closing_message": None}, "Goodbye."),
        ("book_room", {"room_id": 7, "guests": ["Ann", "Bob"]}, "Done. room id: 7; guests: Ann, Bob."),
        ("book_room", {}, "Done."),
    ],
)
def test_data_is_told_in_words(tool: str, data: dict[str, Any], said: str) -> None:
    assert _told(tool, {"ok": True, "data": data}) == said


def test_a_tool_is_described_by_its_summary_and_parameters() -> None:
    data = {
        "toolId": "greet",
        "documentation": "# Greet\n\n## Summary\n\nGreets.\n",
        "parameters": {"properties": {"name": {}}},
    }
    assert _told("reg_describe", {"ok": True, "data": data}) == "**greet**: Greets.\n\nParameters: name."


def test_notices_are_told_but_not_that_it_was_slow() -> None:
    body = {"ok": True, "data": {}, "notices": ["top_k was limited to 3.", "This took 900 ms, longer than it should."]}
    assert _told("look", body) == "Done.\n\n(Note: top_k was limited to 3.)"


def test_when_to_try_again_is_told() -> None:
    error = {"type": "RATE_LIMIT", "message": "too many calls", "retryAfterMs": 30_000}
    assert (
        _told("look", {"ok": False, "error": error}) == "That did not work just now: too many calls. Try again in 30 s."
    )


@given(tool=st.sampled_from(["book_room", "look"]), data=_JSON)
def test_any_data_of_an_unknown_tool_is_told(tool: str, data: Any) -> None:
    assert _told(tool, {"ok": True, "data": data}).startswith("Done.")


@given(kind=st.sampled_from(list(ErrorType)), message=st.text(max_size=50))
def test_any_failure_is_told(kind: ErrorType, message: str) -> None:
    assert _told("look", {"ok": False, "error": {"type": kind.value, "message": message}})


@given(st.lists(st.text(max_size=200), min_size=1, max_size=4), st.text(max_size=60))
def test_an_answer_holds_only_what_its_record_holds(texts: list[str], question: str) -> None:
    records = [{"id": f"doc:{n}", "title": "T", "full_text": text} for n, text in enumerate(texts)]
    *said, source = answer_from(records, question, WordMeaning, links=True).split("\n\nAlso found")[0].split("\n\n")
    place = int(source.removeprefix("Based on doc:").removesuffix(" (T)."))
    held = " ".join(texts[place].split()).replace("**", "")
    assert all(word in held for line in said for word in line.removeprefix("T: ").split())
