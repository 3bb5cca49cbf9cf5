"""Files that are only ever appended to, and what a crash leaves of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ambidex.audit.files import append, create, locked, log_files, mend, next_name


def test_files_are_read_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    names = ["audit-999999.jsonl", "audit-000002.jsonl", "audit-1000000.jsonl", "audit-1.jsonl", "anchors.jsonl", "x"]
    for name in names:
        (tmp_path / name).touch()
    assert [path.name for path in log_files(tmp_path)] == [names[1], names[0], names[2]]


def test_names_count_up() -> None:
    assert next_name(None) == "audit-000001.jsonl"
    assert next_name(Path("audit-000009.jsonl")) == "audit-000010.jsonl"
    assert next_name(Path("audit-999999.jsonl")) == "audit-1000000.jsonl"


def test_what_is_created_belongs_to_its_owner_alone(tmp_path: Path) -> None:
    create(tmp_path / "new")
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o600


def test_wherever_a_write_was_cut_the_whole_lines_before_it_stay(tmp_path: Path) -> None:
    path = tmp_path / "log"
    whole = b"first\n" + b"x" * 70_000 + b"\nlast\n"
    for size in [*range(8), 65_536, 65_537, 70_005, 70_006, 70_007, 70_008, len(whole) - 1, len(whole)]:
        path.write_bytes(whole[:size])
        last = mend(path)
        kept = path.read_bytes()
        assert whole.startswith(kept)
        assert kept == whole[:size][: whole[:size].rfind(b"\n") + 1]
        assert last == (kept.splitlines()[-1] if kept else None)


def test_appending_goes_on_behind_what_is_there(tmp_path: Path) -> None:
    create(tmp_path / "log")
    append(tmp_path / "log", b"a\n")
    append(tmp_path / "log", b"b\n")
    assert (tmp_path / "log").read_bytes() == b"a\nb\n"


def test_a_log_has_one_writer_at_a_time(tmp_path: Path) -> None:
    with locked(tmp_path) as first, locked(tmp_path) as second:
        assert (first, second) == (True, False)
    with locked(tmp_path) as third:
        assert third


def test_the_lock_is_given_back_when_its_holder_fails(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), locked(tmp_path):
        raise RuntimeError
    with locked(tmp_path) as ours:
        assert ours
