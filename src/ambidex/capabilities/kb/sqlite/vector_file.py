"""The vector file: one slot for each embedded passage, as int8, with what filters ask about beside it.

Every column is a file of its own, so that a reader maps it and has nothing to unpack. Slots are only ever appended, or
written anew as another generation. The database says how many count, so a crash leaves at worst a tail that the next
writer writes over. A slot whose passage is gone is blanked by giving it no namespace, which readers see at once. The
file finds candidates, the database confirms them.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

VERSION = 2
_STEPS = 127
_COPIED = 65_536
"""Slots at once, when they are copied into another file."""
_COLUMNS = {"passage": "<i8", "record": "<i8", "updated": "<i8", "scale": "<f4", "namespace": "<u2", "type": "u1"}
_TAGS = {"tagged": "<u4", "tag": "<u4"}
Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Fact:
    """What a slot says about its passage."""

    passage: int
    record: int
    updated: int
    namespace: int
    type: int
    tags: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Extent:
    """How much of the file counts."""

    slots: int
    tags: int


@dataclass(frozen=True, slots=True)
class Slots:
    """As many slots as counted when it was mapped; later ones are in the same file and not seen."""

    rows: npt.NDArray[np.int8]
    passage: Numbers
    record: Numbers
    updated: Numbers
    scale: Floats
    namespace: npt.NDArray[np.uint16]
    type: npt.NDArray[np.uint8]
    tagged: npt.NDArray[np.uint32]
    """Slots, once for each of their tags."""
    tag: npt.NDArray[np.uint32]
    """The tag beside each of those, by its number."""


class VectorFile:
    """The files of one generation, in the folder beside the database."""

    def __init__(self, folder: Path, generation: int, dim: int) -> None:
        self.folder, self.generation, self.dim = folder, generation, dim
        self._widths = {"rows": dim, **{name: np.dtype(kind).itemsize for name, kind in (_COLUMNS | _TAGS).items()}}

    def holds(self, extent: Extent) -> bool:
        """Whether so much is really there."""
        try:
            return all(
                self._path(name).stat().st_size >= width * (extent.tags if name in _TAGS else extent.slots)
                for name, width in self._widths.items()
            )
        except OSError:
            return False

    def map(self, extent: Extent) -> Slots:
        columns = {name: self._column(name, kind, extent.slots) for name, kind in _COLUMNS.items()}
        tags = {name: self._column(name, kind, extent.tags) for name, kind in _TAGS.items()}
        rows = self._column("rows", "i1", extent.slots * self.dim).reshape(extent.slots, self.dim)
        return Slots(rows=rows, **columns, **tags)

    def write(self, at: Extent, vectors: Floats, facts: Sequence[Fact]) -> Extent:
        """Append vectors and what is known of them; on disk when it returns. How much counts then."""
        rows, scale = quantised(vectors)
        self._write("rows", at.slots, rows)
        self._write("scale", at.slots, scale)
        for name in ("passage", "record", "updated", "namespace", "type"):
            self._write(name, at.slots, np.array([getattr(fact, name) for fact in facts], _COLUMNS[name]))
        pairs = [(slot, tag_number(tag)) for slot, fact in enumerate(facts, at.slots) for tag in fact.tags]
        self._write("tagged", at.tags, np.array([slot for slot, _ in pairs], _TAGS["tagged"]))
        self._write("tag", at.tags, np.array([number for _, number in pairs], _TAGS["tag"]))
        return Extent(at.slots + len(facts), at.tags + len(pairs))

    def rearrange(self, slots: Slots, order: Numbers) -> Extent:
        """Write these slots of another file in this order; on disk when it returns. How much counts then."""
        for at in range(0, len(order), _COPIED):
            taken = order[at : at + _COPIED]
            for name in ("rows", *_COLUMNS):
                self._write(name, at, getattr(slots, name)[taken])
        now = np.full(len(slots.rows), -1, np.int64)
        now[order] = np.arange(len(order))
        tagged = now[slots.tagged]
        kept = tagged >= 0
        self._write("tagged", 0, tagged[kept].astype(_TAGS["tagged"]))
        self._write("tag", 0, slots.tag[kept])
        return Extent(len(order), int(kept.sum()))

    def blank(self, slots: Sequence[int]) -> None:
        """Readers that have the file mapped see it at once."""
        width = self._widths["namespace"]
        with open(self._path("namespace"), "r+b", buffering=0) as file:
            for slot in slots:
                os.pwrite(file.fileno(), bytes(width), slot * width)

    def remove_others(self) -> None:
        """Files of other generations and versions; whoever has one mapped keeps it until they look again."""
        ours = {self._path(name) for name in self._widths}
        for path in self.folder.glob("vectors-*"):
            if path not in ours:
                path.unlink(missing_ok=True)

    def _path(self, column: str) -> Path:
        return self.folder / f"vectors-{VERSION}-{self.generation}.{column}"

    def _column(self, name: str, kind: str, length: int) -> npt.NDArray[Any]:
        if length == 0:
            return np.empty(0, kind)
        # A plain view: operations on np.memmap itself take a detour through Python.
        return np.asarray(np.memmap(self._path(name), kind, "r", shape=(length,)))

    def _write(self, column: str, at: int, values: npt.NDArray[Any]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        with open(os.open(self._path(column), flags, 0o644), "r+b", buffering=0) as file:
            view, offset = memoryview(values.tobytes()), at * self._widths[column]
            while view:
                written = os.pwrite(file.fileno(), view, offset)
                view, offset = view[written:], offset + written
            os.fsync(file.fileno())


def tag_number(tag: str) -> int:
    """Two tags may share one, so it finds candidates and decides nothing."""
    return zlib.crc32(tag.encode())


def quantised(vectors: Floats) -> tuple[npt.NDArray[np.int8], Floats]:
    """Each row as whole steps of its own largest number; a row of zeros stays one."""
    scale = np.abs(vectors).max(axis=1, initial=0.0) / _STEPS
    steps = np.where(scale > 0, scale, 1)[:, None]
    return np.rint(vectors / steps).astype(np.int8), scale.astype(np.float32)
