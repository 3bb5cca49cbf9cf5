"""Which sentences of which record are said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ambidex.offline.extract import answer_from
from ambidex.offline.meaning import WordMeaning

ADA = {
    "id": "person:ada-okafor",
    "type": "person",
    "title": "Ada Okafor",
    "metadata": {"role": "Founder", "email": "ada@studio.example", "joined": "2011-03"},
    "full_text": (
        "Ada started it in March 2011 with a loan from her aunt. She drew hulls before a machine on the pier broke. "
        "That machine became the studio's first job. She teaches on Tuesdays. Dr. Moe is her doctor."
    ),
}
HISTORY = {
    "id": "doc:history",
    "type": "doc",
    "title": "How the studio came about",
    "full_text": "# The studio\n\nWritten for the fifteenth year. The studio has been in the net loft since 2011.",
}
MOON = {
    "id": "project:moon-room",
    "type": "project",
    "title": "The Moon Room",
    "metadata": {"budget": 240_000, "status": "delivered"},
    "full_text": (
        "A dark round gallery. Visitors move a moon along a rail.\n\n- Six metres across, it holds real water.\n"
        "- **Never** pull too fast.\n\n| a | row of a table that is long enough to be taken for a sentence |\n"
    ),
}


def _said(question: str, *records: dict[str, Any]) -> list[str]:
    return answer_from(records, question, WordMeaning, links=False).split("\n\n")


def test_who_is_answered_by_a_person_whose_role_says_it_and_no_sentence_is_left_hanging() -> None:
    said, source, also = _said("Who founded the studio?", HISTORY, ADA)
    assert said.startswith("Ada started it in March 2011")
    assert "before a machine on the pier broke. That machine became" in said
    assert source == "Based on person:ada-okafor (Ada Okafor, Founder)."
    assert also == "Also found: doc:history (How the studio came about)."


def test_a_record_asked_for_by_its_name_is_introduced_by_its_first_three_sentences() -> None:
    for question in (
        "What is the Moon Room?",
        "search for the moon room",
        "Could you tell me about the moon room please",
    ):
        assert _said(question, MOON)[0] == (
            "The Moon Room: A dark round gallery. Visitors move a moon along a rail. "
            "Six metres across, it holds real water."
        )


def test_a_field_is_said_when_it_is_asked_for_and_only_then() -> None:
    assert "Budget: 240000." in _said("How much does the Moon Room cost?", MOON)[0]
    assert "Status: delivered." in _said("what is the status of the moon room", MOON)[0]
    assert "ada@studio.example" in _said("how do I reach Ada?", ADA)[0]
    assert "240000" not in _said("how wide is the moon room", MOON)[0]


def test_neither_headings_nor_tables_nor_marks_of_lists_are_said() -> None:
    said = _said("may I pull the moon fast in the room with a table", MOON)[0]
    assert "Never pull too fast." in said
    assert not any(mark in said for mark in "|#*")


def test_a_sentence_does_not_end_at_a_title_of_a_person() -> None:
    assert "Dr. Moe is her doctor." in _said("is there a doctor for her", ADA)[0]


def test_the_name_stands_in_front_of_sentences_that_do_not_hold_it() -> None:
    assert _said("does she teach on tuesdays", ADA)[0].startswith("Ada Okafor, Founder: She teaches on Tuesdays.")


def test_at_most_three_sentences_are_said_and_few_are_compared() -> None:
    compared: list[str] = []

    def meaning(phrases: Sequence[str]) -> WordMeaning:
        compared.extend(phrases)
        return WordMeaning(phrases)

    text = " ".join(f"The kiln is on shelf number {number} today." for number in range(100))
    answer = answer_from(
        [{"id": "doc:kiln", "full_text": text}] * 5, "which shelf is the kiln on", meaning, links=False
    )
    assert answer.split("\n\n")[0].count("shelf number") == 3
    assert len(compared) == 8
