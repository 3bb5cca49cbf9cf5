"""Records on their way into the base: a few hundred to a transaction, and those whose id is taken kept aside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ambidex.capabilities.kb.engine import DuplicateId, Writer
from ambidex.capabilities.kb.importing.finding import SourceFile
from ambidex.capabilities.kb.record import Record

BATCH = 200


@dataclass(frozen=True, slots=True)
class Item:
    record: Record
    origin: str
    digest: str
    file: SourceFile
    line: int


class Incoming:
    def __init__(self, writer: Writer) -> None:
        self.done: dict[str, None] = {}
        """Origins of what went in, in order."""
        self.taken: list[Item] = []
        """What did not, since its id belongs to another origin."""
        self._writer = writer
        self._waiting: list[Item] = []

    def add(self, item: Item) -> None:
        self._waiting.append(item)
        if len(self._waiting) >= BATCH:
            self.flush()

    def flush(self) -> None:
        with self._writer.together():
            for item in self._waiting:
                if self.put(item) is not None:
                    self.taken.append(item)
        self._waiting.clear()

    def put(self, item: Item) -> str | None:
        """The origin that has the id already, if one has."""
        try:
            self._writer.put([item.record], origin=item.origin, digest=item.digest)
        except DuplicateId as duplicate:
            return duplicate.origin
        self.done[item.origin] = None
        return None

    def forget(self, origins: Sequence[str]) -> int:
        """How many records went out."""
        removed = 0
        for start in range(0, len(origins), BATCH):
            removed += self._writer.forget(origins[start : start + BATCH])
        return removed
