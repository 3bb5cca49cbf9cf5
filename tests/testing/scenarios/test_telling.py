"""Differences in words: one line for each side, short, and nothing in them that a terminal obeys."""

from __future__ import annotations

from pathlib import Path

from ambidex.testing.scenarios import Difference, Verdict
from ambidex.testing.scenarios.compare import ABSENT
from ambidex.testing.scenarios.telling import sides, told

PATH = Path("one.json")


def test_a_verdict_is_its_sentence_and_each_place_with_both_sides() -> None:
    verdict = Verdict(PATH, "It is so.", [Difference("/data/a", 1, ABSENT)], log=["greet crashed"])
    assert told(verdict) == ["It is so.", "/data/a", "  expected  1", "  got       (nothing)", "log: greet crashed"]


def test_one_that_could_not_be_run_says_why_and_one_that_passed_says_nothing() -> None:
    assert told(Verdict(PATH, problem="/given: no mode")) == ["/given: no mode"]
    assert told(Verdict(PATH, "It is so.", log=["noise"])) == []


def test_of_long_texts_the_part_is_shown_where_they_begin_to_differ() -> None:
    expected, got = sides(Difference("/data", "x" * 500 + "old" + "y" * 500, "x" * 500 + "new" + "y" * 500))
    assert "old" in expected
    assert "new" in got
    assert max(len(expected), len(got)) < 200
    assert expected.startswith('"…x')


def test_texts_of_which_one_begins_the_other_are_told_apart_too() -> None:
    expected, got = sides(Difference("/data", "x" * 500, "x" * 500 + "more"))
    assert expected != got


def test_nothing_can_move_a_cursor() -> None:
    for side in sides(Difference("/data", "\x1b[2J\u202e", {"a": "\x9b\n"})):
        assert side.isprintable()
