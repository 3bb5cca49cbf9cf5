"""Front matter: plain values, honest lines, and nothing that could grow, hang or crash."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ambidex.capabilities.kb.importing.front_matter import parse, split
from ambidex.capabilities.kb.importing.told import Unfit


def test_text_without_a_fence_has_no_front_matter() -> None:
    assert split("# A title\n\n---\n") == ("", "# A title\n\n---\n", 1)


@pytest.mark.parametrize("end", ["---", "...", "---  ", "---\r"])
def test_the_text_begins_behind_the_closing_fence(end: str) -> None:
    head, body, line = split(f"---\ntitle: A\n{end}\nText\n")
    assert (head, body, line) == ("title: A\n", "Text\n", 4)


def test_a_fence_that_is_never_closed_is_told() -> None:
    with pytest.raises(Unfit, match="never closed"):
        split("---\ntitle: A\n\nText\n")


def test_words_stay_words_and_dates_stay_as_written() -> None:
    values, lines = parse("a: no\nb: 2026-01-05\nc: 12\nd: 1.5\ne: true\nf:\ng: [x, 0o7]\nh: '12'\n")
    assert values == {
        "a": "no",
        "b": "2026-01-05",
        "c": 12,
        "d": 1.5,
        "e": True,
        "f": None,
        "g": ["x", "0o7"],
        "h": "12",
    }
    assert lines["a"] == 2, "the line in the file, behind the fence"
    assert lines["h"] == 9


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("title: A: B\n", 2, "mapping values are not allowed"),
        ("title: A\n\ttags: x\n", 3, "not YAML"),
        ("a: &x [1]\nb: *x\n", 3, "reference"),
        ("title: A\ntitle: B\n", 3, "stands twice"),
        ("- a\n- b\n", 2, "must be lines such as"),
        ("a: !!python/object:os.system x\n", 2, "not YAML"),
        ("a: 1\n---\nb: 2\n", 3, "not YAML"),
        ("a: \x07\n", 2, "not YAML"),
        ("? [a, b]\n: c\n", 2, "not YAML"),
    ],
)
def test_a_mistake_is_told_with_its_line(text: str, line: int, why: str) -> None:
    with pytest.raises(Unfit, match=why) as caught:
        parse(text)
    assert caught.value.line == line


def test_nesting_that_would_overflow_the_stack_is_refused() -> None:
    with pytest.raises(Unfit, match="nested more than"):
        parse("a: " + "[" * 30_000 + "]" * 30_000)


def test_very_long_front_matter_is_refused() -> None:
    with pytest.raises(Unfit, match="longer than"):
        parse("a: " + "x" * 70_000)


@settings(max_examples=100)
@given(st.text(max_size=60))
@example("a: &a [*a]")
@example("? ? ? a")
@example("a: !!binary x")
@example("a: !!set {x}")
@example("<<: {a: 1}")
@example("<<: [1]")
def test_any_text_is_fields_or_a_refusal(text: str) -> None:
    try:
        values, _ = parse(text)
    except Unfit as refused:
        unfit = refused
    else:
        assert isinstance(values, dict)
        return
    assert unfit.why
    assert unfit.line is not None
