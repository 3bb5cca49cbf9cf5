"""Reading the audit back, from the store and from files alike."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.audit.making import event, exporter, record

from ambidex.audit.chain import recorder
from ambidex.audit.errors import AuditMismatch
from ambidex.audit.line import decode
from ambidex.audit.log import AuditLog, FileLog, StoreLog, tail
from ambidex.stores.base import Store


@pytest.fixture(params=["store", "files"])
def log(request: pytest.FixtureRequest, store: Store, tmp_path: Path) -> AuditLog:
    """Twenty lines."""
    record(store, 20)
    if request.param == "store":
        return StoreLog(store)
    exporter(store, tmp_path / "audit", rotate_bytes=1000).drain()
    return FileLog(tmp_path / "audit")


def seqs(lines: list[bytes]) -> list[int]:
    return [decode(line).seq for line in lines]


@pytest.mark.parametrize("after", [0, 1, 7, 19, 20, 99])
def test_reading_goes_on_behind_a_position(log: AuditLog, after: int) -> None:
    assert seqs(list(log.read(after))) == list(range(after + 1, 21))


def test_the_tail_is_the_newest_lines_oldest_first(log: AuditLog) -> None:
    assert log.end() == 20
    assert seqs(tail(log, 3)) == [18, 19, 20]
    assert seqs(tail(log, 99)) == list(range(1, 21))
    assert tail(log, 0) == []


def test_the_tail_can_be_of_chosen_lines(log: AuditLog) -> None:
    assert seqs(tail(log, 2, keep=lambda line: line.seq % 5 == 0)) == [15, 20]


def test_what_waits_in_a_memory_store_is_read_too(memory: Store) -> None:
    memory.run(lambda tx: recorder(memory)(tx, [event(1), event(2)]))
    assert seqs(tail(StoreLog(memory), 5)) == [1, 2]


def test_an_empty_log_has_no_end(store: Store, tmp_path: Path) -> None:
    for empty in (StoreLog(store), FileLog(tmp_path)):
        assert empty.end() == 0
        assert list(empty.read()) == []


def test_half_a_line_is_not_read(store: Store, tmp_path: Path) -> None:
    record(store, 2)
    exporter(store, tmp_path / "audit").drain()
    with (tmp_path / "audit" / "audit-000001.jsonl").open("ab") as file:
        file.write(b'{"seq":3')
    assert FileLog(tmp_path / "audit").end() == 2


def test_a_line_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "audit-000001.jsonl").write_text("{}\n")
    with pytest.raises(AuditMismatch, match="audit verify"):
        list(FileLog(tmp_path).read())
