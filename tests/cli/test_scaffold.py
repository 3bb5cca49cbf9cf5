"""Names and files of new things."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambidex.cli.scaffold import Written, copied, is_folder_name, kebab, template, tool_words, write


@pytest.mark.parametrize(
    ("name", "spelled"),
    [
        ("weatherLookup", "weather-lookup"),
        ("WeatherLookup", "weather-lookup"),
        ("weather_lookup", "weather-lookup"),
        ("Weather Lookup!", "weather-lookup"),
        ("HTTPFetch2", "http-fetch2"),
        ("--x--", "x"),
        ("2fast", None),
        ("äöü", None),
        ("x" * 65, None),
    ],
)
def test_the_right_spelling_of_a_name(name: str, spelled: str | None) -> None:
    assert kebab(name) == spelled


@given(st.text(max_size=80))
def test_a_suggested_spelling_is_always_a_good_one(name: str) -> None:
    spelled = kebab(name)
    assert spelled is None or is_folder_name(spelled)


@given(st.from_regex(r"[a-z][a-z0-9]{0,5}(-[a-z0-9]{1,5}){0,3}", fullmatch=True))
def test_a_good_spelling_is_kept(name: str) -> None:
    assert is_folder_name(name)
    assert kebab(name) == name


@pytest.mark.parametrize("name", ["retrieval", "utility", "action", "writes", "opening-hours"])
def test_templates_leave_nothing_open(name: str) -> None:
    files = template(name, tool_words("my-tool", ("voice",), None))
    assert set(files) == {"guide.md", "handler.py", "schema.json", "scenarios/one.json"}
    for content in files.values():
        assert b"{{" not in content


def test_writing_never_overwrites(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("mine")
    written = Written()
    write(tmp_path, {"a": b"theirs", "b/c": b"new"}, written)
    assert (tmp_path / "a").read_text() == "mine"
    assert (written.made, written.kept) == ([tmp_path / "b" / "c"], [tmp_path / "a"])


def test_copies_leave_litter_behind(tmp_path: Path) -> None:
    for name in ("a.py", "sub/b.py", "a.pyc", "__pycache__/c.py", ".hidden", "sub/.git/d"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    assert set(copied(tmp_path)) == {"a.py", "sub/b.py"}
