"""Every page can be followed: its commands run and say what it shows, its files build, its Python runs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.docs.comparing import missing_line
from tests.docs.pages import ROOT, Block, blocks, pages
from tests.docs.walking import Walk

CHECKOUT = ("Makefile", "ambidex.toml", "prompts", "tools")
"""What a reader of README.md has before them, as far as its commands need it."""


def checkout(folder: Path) -> Path:
    for name in CHECKOUT:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    return folder


def console(text: str, **options: str) -> Block:
    return Block("a page", 1, "console", options, text)


@pytest.mark.parametrize("page", pages())
def test_a_reader_can_follow(page: str, tmp_path: Path) -> None:
    walk = Walk(checkout(tmp_path))
    for block in blocks(page):
        walk.take(block)


def test_a_page_that_shows_what_a_command_does_not_say_is_found(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="not there: 'something else'"):
        Walk(tmp_path).take(console("$ ambidex --version\nsomething else\n"))


def test_a_command_that_fails_unannounced_is_found(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="ended with 1, not 0"):
        Walk(tmp_path).take(console("$ ambidex list\n"))
    Walk(tmp_path).take(console("$ ambidex list\n", exit="1"))


def test_a_command_that_would_not_be_run_does_not_pass_for_one_that_was(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="only ambidex, make and cd"):
        Walk(tmp_path).take(console("$ rm -r tools\n"))


def test_python_that_fails_is_found(tmp_path: Path) -> None:
    with pytest.raises(NameError):
        Walk(tmp_path).take(Block("a page", 1, "python", {}, "nonsense\n"))
    with pytest.raises(AssertionError, match="Expected"):
        Walk(tmp_path).take(Block("a page", 1, "pycon", {}, ">>> 1 + 1\n3\n"))


def test_a_change_to_lines_that_are_not_there_is_found(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("one\ntwo\n")
    change = "+++ file\n one\n-two\n+three\n"
    Walk(tmp_path).take(Block("a page", 1, "diff", {}, change))
    assert (tmp_path / "file").read_text() == "one\nthree\n"
    with pytest.raises(AssertionError, match="0 times"):
        Walk(tmp_path).take(Block("a page", 1, "diff", {}, change))


@pytest.mark.parametrize(
    ("shown", "output", "missing"),
    [
        (["built  1.0.aaaaaaaa"], "built 1.0.bbbbbbbb", None),
        (["voice prompt: 1,100 tokens"], "voice prompt: 900 tokens", None),
        (["first", "…", "third"], "first\nsecond\nthird", None),
        (["first … end"], "first of all the end", None),
        (["first", "second"], "second\nfirst", "second"),
        (["7 tools"], "8 tools", "7 tools"),
        (["whole"], "the whole line", "whole"),
    ],
)
def test_shown_lines_occur_in_order_but_for_what_changes_with_each_run(
    shown: list[str], output: str, missing: str | None
) -> None:
    assert missing_line(shown, output) == missing
