"""What an engine of the knowledge base does, as types.

Everything here blocks and may be called from any thread. Searching never waits for the writer; there is one writer at a
time, in whichever process.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from ambidex.capabilities.kb.filters import Filters
from ambidex.capabilities.kb.found import Found
from ambidex.capabilities.kb.record import Record
from ambidex.errors import AmbidexError

if TYPE_CHECKING:
    import numpy

    Row = numpy.ndarray[Any, numpy.dtype[numpy.float32]]

Progress = Callable[[int, int], None]
"""How many are done, and of how many."""


class KbError(AmbidexError):
    """The base cannot be used; the message says why and what to do."""


class WriterBusy(KbError):
    """Another process writes to this base."""

    def __init__(self, pid: int | None, since: str | None) -> None:
        self.pid, self.since = pid, since
        who = f"process {pid}" if pid else "another process"
        when = f" since {since}" if since else ""
        super().__init__(f"{who} has been writing to the knowledge base{when}; wait for it, or stop it")


class DuplicateId(KbError):
    """A record's id belongs to a record of another origin."""

    def __init__(self, id: str, origin: str) -> None:
        self.id, self.origin = id, origin
        super().__init__(f"{id} already comes from {origin}; give one of them another id")


@dataclass(frozen=True, slots=True)
class Passage:
    """A window of a record, which gets a vector."""

    id: int
    text: str
    hash: str
    """The same text and heading have the same hash: a vector may be taken from a cache."""
    heading: str = ""
    """What the record is about; the vector leans towards it."""


@dataclass(frozen=True, slots=True)
class Stats:
    records: int
    types: dict[str, int]
    namespaces: dict[str, int]
    passages: int
    lexical: str
    """`fts5` or `tantivy`."""
    embedder: str | None
    """Whose vectors are searched now."""
    wanted: str | None
    """Whose vectors are being made; the same as `embedder` when all is done."""
    embedded: int
    """Passages that have a vector of `wanted`."""
    pending: int
    disk_bytes: int
    version: int
    """Of the format."""
    damaged: tuple[str, ...] = field(default=())
    """Derived files that are missing or of another version and wait for the writer."""


class Engine(Protocol):
    def search(self, query: str, filters: Filters, *, top_k: int = 5) -> Found: ...

    def get(self, ids: Sequence[str], *, namespaces: Sequence[str]) -> list[Record]:
        """Those that are there, in the order asked."""
        ...

    def near(self, id: str, *, namespaces: Sequence[str], most: int = 3) -> list[str]:
        """Ids that look like one that is not there, the nearest first."""
        ...

    def stats(self) -> Stats: ...

    def writer(self, *, wait_seconds: float = 0.0) -> AbstractContextManager[Writer]:
        """The one writer; `WriterBusy` when another still has it after so many seconds."""
        ...

    def close(self) -> None: ...


class Writer(Protocol):
    def put(self, records: Sequence[Record], *, origin: str, digest: str) -> None:
        """All records of one origin, in one transaction: those it had before and has no more are gone.

        A crash leaves either the old ones or the new ones. `DuplicateId` leaves the old ones.
        """
        ...

    def together(self) -> AbstractContextManager[None]:
        """What is put inside commits as one: a thousand small origins cost one wait for the disk."""
        ...

    def origins(self) -> dict[str, str]:
        """Each origin and the digest of what was read from it."""
        ...

    def forget(self, origins: Sequence[str]) -> int:
        """Delete the records of these origins; how many there were."""
        ...

    def reindex(self, progress: Progress) -> None:
        """Make everything derived anew from the records; vectors of unchanged passages stay."""
        ...

    def unembedded(self, most: int) -> list[Passage]:
        """Passages without a vector of the wanted embedder, the oldest first."""
        ...

    def embedded(self, vectors: Sequence[tuple[int, Row]]) -> None:
        """Keep vectors of passages; those of passages that are gone by now are dropped."""
        ...

    def use_embedder(self, identity: str, dim: int) -> None:
        """Whose vectors are wanted. Those of another keep serving until the new set is complete."""
        ...
