"""Records in and out of the tables, with their passages and lexical rows. Transactions are the caller's."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import msgspec

from ambidex.capabilities.kb.record import Record, content_hash, micros
from ambidex.capabilities.kb.search.passages import Span, embedded_text, heading, passages, window_hash, windows
from ambidex.capabilities.kb.sqlite.conditions import folded
from ambidex.capabilities.kb.sqlite.lexical_rows import LexicalRows

Numbers = dict[str, list[int]]
"""Passages of a record: hash -> their numbers. The same words may stand in a text twice."""

MOST_VECTORS = 64
"""Windows of one record that get a vector: about 22,000 characters. Of a longer text it is every second, third, …"""
WORDS_ALONE = ""
"""The hash of a window that gets none."""

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Record).decode


class _Tags(msgspec.Struct):
    """As much of a record as its tags; the rest is not even decoded."""

    tags: tuple[str, ...] = ()


_decode_tags = msgspec.msgpack.Decoder(_Tags).decode


@dataclass(frozen=True, slots=True)
class Known:
    """A record that is there already."""

    row: int
    origin: int
    hash: str


def known(link: sqlite3.Connection, id: str) -> Known | None:
    row = link.execute("SELECT row, origin, hash FROM records WHERE id = ?", (id,)).fetchone()
    return Known(*row) if row else None


def body(link: sqlite3.Connection, row: int) -> Record:
    return _decode(link.execute("SELECT body FROM bodies WHERE row = ?", (row,)).fetchone()[0])


def decoded(blob: bytes) -> Record:
    return _decode(blob)


def tags_of(link: sqlite3.Connection, row: int) -> list[str]:
    """A record's tags as filters compare them."""
    [blob] = link.execute("SELECT body FROM bodies WHERE row = ?", (row,)).fetchone()
    return list(dict.fromkeys(map(folded, _decode_tags(blob).tags)))


def add(link: sqlite3.Connection, lexical: LexicalRows, record: Record, origin: int, change: int) -> None:
    _namespace(link, record.namespace)
    facts = _facts(record, origin, change)
    row = link.execute(
        "INSERT INTO records (id, type, namespace, updated, origin, hash, change) VALUES (?, ?, ?, ?, ?, ?, ?)", facts
    ).lastrowid
    if row is None:
        raise sqlite3.IntegrityError("SQLite gave the record no row")
    link.execute("INSERT INTO bodies VALUES (?, ?)", (row, _encode(record)))
    _tag(link, row, record)
    cut(link, lexical, row, record, keep={})


def replace(
    link: sqlite3.Connection, lexical: LexicalRows, row: int, record: Record, origin: int, change: int
) -> list[int]:
    """The slots of the vector file that hold it no more."""
    _namespace(link, record.namespace)
    old = body(link, row)
    numbers = unlist(link, lexical, row, old)
    facts = _facts(record, origin, change)
    link.execute(
        """UPDATE records SET id = ?, type = ?, namespace = ?, updated = ?, origin = ?, hash = ?, change = ?
        WHERE row = ?""",
        (*facts, row),
    )
    link.execute("UPDATE bodies SET body = ? WHERE row = ?", (_encode(record), row))
    link.executemany("DELETE FROM tags WHERE tag = ? AND row = ?", [(folded(tag), row) for tag in old.tags])
    _tag(link, row, record)
    return recut(link, lexical, row, record, numbers)


def drop(link: sqlite3.Connection, lexical: LexicalRows, row: int) -> list[int]:
    """The slots of the vector file that hold it no more."""
    old = body(link, row)
    unlist(link, lexical, row, old)
    slots = []
    for passage, slot in link.execute("SELECT id, slot FROM passages WHERE record = ?", (row,)).fetchall():
        forget_passage(link, passage)
        slots.append(slot)
    link.executemany("DELETE FROM tags WHERE tag = ? AND row = ?", [(folded(tag), row) for tag in old.tags])
    link.execute("DELETE FROM bodies WHERE row = ?", (row,))
    link.execute("DELETE FROM records WHERE row = ?", (row,))
    return [slot for slot in slots if slot is not None]


def recut(link: sqlite3.Connection, lexical: LexicalRows, row: int, record: Record, old: Numbers) -> list[int]:
    """New passages of a record that has some; one with the same words keeps its number, and so its vector."""
    query = "SELECT slot FROM passages WHERE record = ? AND slot IS NOT NULL"
    slots = [slot for (slot,) in link.execute(query, (row,))]
    cut(link, lexical, row, record, keep=old)
    for number in chain.from_iterable(old.values()):
        forget_passage(link, number)
    return slots


def cut(link: sqlite3.Connection, lexical: LexicalRows, row: int, record: Record, *, keep: Numbers) -> None:
    """Passages and lexical rows; numbers that are kept are taken out of `keep`."""
    about, tags = heading(record.title, record.tags, record.metadata), " ".join(record.tags)
    spans = [(passage, windows(record.text, passage)) for passage in passages(record.text)]
    chosen = evenly([window for _, inside in spans for window in inside], MOST_VECTORS)
    for passage, inside in spans:
        hashes = [_hash(record, window, about) if window in chosen else WORDS_ALONE for window in inside]
        numbers = [_kept(link, row, window, hash, keep) for window, hash in zip(inside, hashes, strict=True)]
        # Words are searched in the whole passage, under the number of its first window.
        lexical.add(numbers[0], record.title, record.text[slice(*passage)], tags)


def evenly(spans: Sequence[Span], most: int) -> set[Span]:
    """At most so many, the first among them, as far apart from each other as can be."""
    return {spans[number * len(spans) // most] for number in range(most)} if len(spans) > most else set(spans)


def _hash(record: Record, window: Span, about: str) -> str:
    return window_hash(embedded_text(record.title, record.tags, record.text[slice(*window)]), about)


def _kept(link: sqlite3.Connection, row: int, window: Span, hash: str, keep: Numbers) -> int:
    """The number of a window: its old one, where it says the same."""
    start, stop = window
    if not keep.get(hash):
        return _new_passage(link, row, window, hash)
    number = keep[hash].pop()
    link.execute("UPDATE passages SET start = ?, stop = ?, slot = NULL WHERE id = ?", (start, stop, number))
    # Its vector is good, its slot is not: what filters ask about may have changed.
    link.execute("INSERT OR IGNORE INTO unplaced VALUES (?)", (number,))
    return number


def unlist(link: sqlite3.Connection, lexical: LexicalRows, row: int, record: Record) -> Numbers:
    """Take a record's lexical rows away; its passages by hash."""
    found = link.execute("SELECT id, start, hash FROM passages WHERE record = ?", (row,)).fetchall()
    listed = dict(passages(record.text))
    numbers: Numbers = {}
    for number, start, hash in found:
        if start in listed:
            lexical.remove(number, record.title, record.text[start : listed[start]], " ".join(record.tags))
        numbers.setdefault(hash, []).append(number)
    return numbers


def forget_passage(link: sqlite3.Connection, number: int) -> None:
    link.execute("DELETE FROM passages WHERE id = ?", (number,))
    link.execute("DELETE FROM vectors WHERE passage = ? AND embedder IN (SELECT number FROM embedders)", (number,))
    link.execute("DELETE FROM unembedded WHERE passage = ?", (number,))
    link.execute("DELETE FROM unplaced WHERE passage = ?", (number,))


def all_records(link: sqlite3.Connection, *, after_change: int = 0) -> Iterator[tuple[int, int, Record]]:
    """Row, time of the last update, and the record."""
    query = "SELECT r.row, r.updated, b.body FROM records r CROSS JOIN bodies b ON b.row = r.row WHERE r.change > ?"
    for row, updated, blob in link.execute(query, (after_change,)):
        yield row, updated, _decode(blob)


def _facts(record: Record, origin: int, change: int) -> tuple[object, ...]:
    updated = micros(record.last_updated, "last_updated")
    return record.id, record.type, record.namespace, updated, origin, content_hash(record), change


def _new_passage(link: sqlite3.Connection, row: int, span: Span, hash: str) -> int:
    number = link.execute(
        "INSERT INTO passages (record, start, stop, hash) VALUES (?, ?, ?, ?)", (row, *span, hash)
    ).lastrowid
    if number is None:
        raise sqlite3.IntegrityError("SQLite gave the passage no number")
    if hash != WORDS_ALONE:
        link.execute("INSERT INTO unembedded VALUES (?)", (number,))
    return number


def _tag(link: sqlite3.Connection, row: int, record: Record) -> None:
    link.executemany("INSERT OR IGNORE INTO tags VALUES (?, ?)", [(folded(tag), row) for tag in record.tags])


def _namespace(link: sqlite3.Connection, name: str) -> None:
    link.execute("INSERT OR IGNORE INTO namespaces (name) VALUES (?)", (name,))
