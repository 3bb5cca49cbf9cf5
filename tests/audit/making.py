"""Events and logs for the tests of the audit."""

from __future__ import annotations

from pathlib import Path

from ambidex.audit.chain import append
from ambidex.audit.events import Event, EventKind
from ambidex.audit.export import AuditExporter
from ambidex.contracts.call import Category, Mode
from ambidex.contracts.faults import ErrorType
from ambidex.stores.base import Store


def event(n: int = 1) -> Event:
    """A small one, different for each number."""
    return Event(event=EventKind.CALL_FINISHED, user="u1", tool="kb_search", call_id=f"c{n}", ok=True, duration=1.5)


def full_event(text: str = "x") -> Event:
    """One with every member set, and every string of it this text."""
    return Event(
        event=EventKind.CALL_REFUSED,
        name=text,
        tenant=text,
        user=text,
        session=text,
        conversation=text,
        mode=Mode.VOICE,
        epoch=1,
        turn=2,
        tool=text,
        tool_version=text,
        registry_version=text,
        args_hash=text,
        key=text,
        call_id=text,
        attempt=1,
        duration=0.5,
        ok=False,
        error_type=ErrorType.BUDGET_EXCEEDED,
        category=Category.RETRIEVAL,
        rule=text,
        intents=(text,),
        records=(text, text),
        facts={text: text, "n": 1, "f": 0.5, "b": True, "nothing": None},
        parent=text,
    )


def record(store: Store, count: int, *, start: int = 1) -> None:
    """So many events, each in a transaction of its own."""
    for n in range(start, start + count):
        store.run(lambda tx, n=n: append(tx, [event(n)]), lasting=False)  # type: ignore[misc]


def exporter(store: Store, directory: Path, *, rotate_bytes: int = 1500, keep: int | None = None) -> AuditExporter:
    """One that makes small files and many anchors."""
    return AuditExporter(store, directory, rotate_bytes=rotate_bytes, keep=keep, anchor_every=4)


def lines_of(directory: Path) -> list[bytes]:
    """Every line of every file, in order."""
    return [line for path in sorted(directory.glob("audit-*.jsonl")) for line in path.read_bytes().splitlines()]
