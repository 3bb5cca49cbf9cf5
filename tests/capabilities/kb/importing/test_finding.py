"""Which files there are to import: sorted, once each, none opened, and nothing that a folder may hold is a surprise."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from ambidex.capabilities.kb.importing.finding import Catch, find_files


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "notes"
    (folder / "deep").mkdir(parents=True)
    for name in ("b.md", "a.MD", "deep/c.jsonl", "deep/d.csv", "photo.png", ".hidden.md"):
        (folder / name).write_text("x")
    return folder


def shown(catch: Catch) -> list[str]:
    return [file.shown for file in catch.files]


def reasons(catch: Catch) -> dict[str, str]:
    return {refusal.path: refusal.why for refusal in catch.refused}


@pytest.mark.usefixtures("notes")
def test_a_folder_is_taken_whole_and_sorted_but_for_hidden_and_foreign_files() -> None:
    catch = find_files(["notes"])
    assert shown(catch) == ["notes/a.MD", "notes/b.md", "notes/deep/c.jsonl", "notes/deep/d.csv"]
    assert [file.inside for file in catch.files][2] == "deep/c.jsonl"
    assert catch.skipped == ["notes/photo.png"]
    assert catch.refused == []


@pytest.mark.usefixtures("notes")
def test_a_file_is_taken_once_however_many_paths_lead_to_it() -> None:
    assert shown(find_files(["notes/deep", "notes", "notes/b.md", "notes/../notes/b.md"])) == [
        "notes/a.MD",
        "notes/b.md",
        "notes/deep/c.jsonl",
        "notes/deep/d.csv",
    ]


@pytest.mark.usefixtures("notes")
def test_a_glob_is_opened_here_where_the_shell_did_not() -> None:
    assert shown(find_files(["notes/**/*.csv", "notes/*.md"])) == ["notes/b.md", "notes/deep/d.csv"]
    assert "matches nothing" in reasons(find_files(["notes/*.txt"]))["notes/*.txt"]


def test_a_name_with_brackets_is_a_name(notes: Path) -> None:
    (notes / "[draft].md").write_text("x")
    assert shown(find_files(["notes/[draft].md"])) == ["notes/[draft].md"]


@pytest.mark.usefixtures("notes")
def test_a_path_that_was_named_and_cannot_be_taken_is_told() -> None:
    catch = find_files(["notes/photo.png", "nowhere", "b\udcff.md"])
    assert "of no kind that can be imported" in reasons(catch)["notes/photo.png"]
    assert "is not there" in reasons(catch)["nowhere"]
    assert "not UTF-8" in reasons(catch)["b\\xff.md"]


def test_what_is_no_file_is_told_and_never_opened(notes: Path) -> None:
    os.mkfifo(notes / "pipe.md")
    with socket.socket(socket.AF_UNIX) as endpoint:
        endpoint.bind("notes/socket.md")
        catch = find_files(["notes", "/dev/null"])
    assert "is a FIFO" in reasons(catch)["notes/pipe.md"]
    assert "is a socket" in reasons(catch)["notes/socket.md"]
    assert "is a device" in reasons(catch)["/dev/null"]
    assert len(catch.files) == 4


def test_a_fifo_given_by_name_is_told(notes: Path) -> None:
    os.mkfifo(notes / "pipe.md")
    assert "is a FIFO" in reasons(find_files(["notes/pipe.md"]))["notes/pipe.md"]


def test_links_that_leave_or_go_in_circles_are_told(notes: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("x")
    (notes / "out.md").symlink_to(tmp_path / "secret.md")
    (notes / "up").symlink_to(notes)
    (notes / "deep" / "self.md").symlink_to("self.md")
    catch = find_files(["notes"])
    assert "leaves the folder" in reasons(catch)["notes/out.md"]
    assert "folder it stands in" in reasons(catch)["notes/up"]
    assert "in a circle" in reasons(catch)["notes/deep/self.md"]
    assert len(catch.files) == 4


def test_a_link_inside_the_folder_is_left_to_what_it_leads_to(notes: Path) -> None:
    (notes / "current.md").symlink_to("b.md")
    (notes / "same").symlink_to("deep")
    catch = find_files(["notes"])
    assert catch.skipped == ["notes/current.md", "notes/photo.png", "notes/same"]
    assert catch.refused == []
    assert len(catch.files) == 4


def test_a_link_that_was_given_is_followed(notes: Path, tmp_path: Path) -> None:
    (tmp_path / "linked").symlink_to(notes)
    assert shown(find_files(["linked"]))[0] == "linked/a.MD"


def test_a_name_that_is_not_utf8_is_told(notes: Path) -> None:
    (notes / os.fsdecode(b"caf\xe9.md")).write_text("x")
    assert "not UTF-8" in reasons(find_files(["notes"]))["notes/caf\\xe9.md"]
