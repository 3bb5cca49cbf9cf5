"""Opening files: what cannot be read, is no file or holds no text is told, and nothing hangs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.capabilities.kb.importing.unprivileged import open_folder, unprivileged

from ambidex.capabilities.kb.importing.finding import find_files
from ambidex.capabilities.kb.importing.reading import opened, text_of
from ambidex.capabilities.kb.importing.told import Unfit


def content(path: Path) -> bytes:
    with opened(path) as file:
        return file.stream.read()


def reason(path: Path) -> str:
    try:
        content(path)
    except Unfit as unfit:
        return unfit.why
    return ""


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"\xef\xbb\xbf# A")
    assert content(tmp_path / "a.md") == b"# A"


def test_a_file_has_the_date_of_its_last_change(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.touch()
    os.utime(path, (86_400, 86_400))
    with opened(path) as file:
        assert file.modified == "1970-01-02T00:00:00Z"


def test_a_fifo_that_took_a_files_place_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.md")
    assert "no regular file any more" in reason(tmp_path / "a.md")


def test_a_file_that_went_away_is_told(tmp_path: Path) -> None:
    assert "No such file" in reason(tmp_path / "a.md")


@pytest.mark.parametrize(("data", "why"), [(b"a\0b", "binary"), ("a".encode("utf-16"), "UTF-16")])
def test_what_is_no_utf8_text_is_told(tmp_path: Path, data: bytes, why: str) -> None:
    (tmp_path / "a.md").write_bytes(data)
    assert why in reason(tmp_path / "a.md")


def test_a_bad_byte_is_told_with_its_line() -> None:
    with pytest.raises(Unfit, match="0xe9") as caught:
        text_of(b"a\nb\xe9", first_line=5)
    assert caught.value.line == 6


def test_a_file_that_may_not_be_read_is_told() -> None:
    with open_folder() as folder:
        (folder / "a.md").write_text("x")
        (folder / "a.md").chmod(0)
        assert (
            unprivileged(lambda: reason(folder / "a.md")) == "cannot be read: Permission denied; mend its permissions"
        )


def test_a_folder_that_may_not_be_read_is_told_and_nothing_below_it_has_vanished() -> None:
    with open_folder() as folder:
        (folder / "notes" / "closed").mkdir(parents=True)
        (folder / "notes" / "a.md").write_text("x")
        (folder / "notes" / "closed").chmod(0)
        catch = unprivileged(lambda: find_files([str(folder / "notes")]))
        (folder / "notes" / "closed").chmod(0o755)
    [refusal] = catch.refused
    assert refusal.why == "cannot be read: Permission denied; mend its permissions"
    assert catch.unseen == [folder / "notes" / "closed"]
    assert [file.inside for file in catch.files] == ["a.md"]
