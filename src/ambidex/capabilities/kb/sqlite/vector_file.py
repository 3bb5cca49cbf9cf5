"""The vector file: one slot for each embedded passage, as int8, with what filters ask about beside it.

Slots are only ever appended. The database says how many count, so a crash leaves at worst a tail that the next writer
writes over. A slot whose passage is gone is blanked by giving it no namespace. The exact vectors are in the database:
the file finds candidates, they decide.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

VERSION = 1
SLOT = np.dtype(
    [
        ("passage", "<i8"),
        ("record", "<i8"),
        ("updated", "<i8"),
        ("scale", "<f4"),
        ("namespace", "<u2"),
        ("type", "u1"),
        ("unused", "u1"),
    ]
)
_STEPS = 127
_FACTS = ("passage", "record", "updated", "namespace", "type")
Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Slots:
    """As many slots as counted when it was mapped; later ones are in the same file and not seen."""

    rows: npt.NDArray[np.int8]
    facts: npt.NDArray[Any]

    @cached_property
    def namespace(self) -> npt.NDArray[np.uint16]:
        return np.ascontiguousarray(self.facts["namespace"])

    @cached_property
    def type(self) -> npt.NDArray[np.uint8]:
        return np.ascontiguousarray(self.facts["type"])

    @cached_property
    def updated(self) -> Numbers:
        return np.ascontiguousarray(self.facts["updated"])

    @cached_property
    def record(self) -> Numbers:
        return np.ascontiguousarray(self.facts["record"])

    @cached_property
    def scale(self) -> Floats:
        return np.ascontiguousarray(self.facts["scale"])


class VectorFile:
    """Two files of one generation, in the folder beside the database."""

    def __init__(self, folder: Path, generation: int, dim: int) -> None:
        self.folder, self.generation, self.dim = folder, generation, dim
        self._rows = folder / f"vectors-{VERSION}-{generation}.i8"
        self._facts = folder / f"vectors-{VERSION}-{generation}.slots"

    def holds(self, slots: int) -> bool:
        """Whether so many slots are really there."""
        try:
            return self._rows.stat().st_size >= slots * self.dim and self._facts.stat().st_size >= slots * SLOT.itemsize
        except OSError:
            return False

    def map(self, slots: int) -> Slots:
        if slots == 0:
            return Slots(np.empty((0, self.dim), np.int8), np.empty(0, SLOT))
        rows = np.memmap(self._rows, np.int8, "r", shape=(slots, self.dim))
        return Slots(rows, np.memmap(self._facts, SLOT, "r", shape=(slots,)))

    def write(self, at: int, vectors: Floats, facts: Sequence[tuple[int, int, int, int, int]]) -> None:
        """Vectors of (passage, record, updated, namespace, type), from slot `at` on; on disk when it returns."""
        rows, scale = quantised(vectors)
        slots = np.zeros(len(facts), SLOT)
        for name, column in zip(_FACTS, zip(*facts, strict=True), strict=True):
            slots[name] = column
        slots["scale"] = scale
        _write(self._rows, at * self.dim, rows.tobytes())
        _write(self._facts, at * SLOT.itemsize, slots.tobytes())

    def blank(self, slots: Sequence[int]) -> None:
        """Readers that have the file mapped see it at once."""
        offset: int = SLOT.fields["namespace"][1] if SLOT.fields else 0
        with open(self._facts, "r+b", buffering=0) as file:
            for slot in slots:
                os.pwrite(file.fileno(), b"\0\0", slot * SLOT.itemsize + offset)

    def remove_others(self) -> None:
        """Files of other generations and versions; whoever has one mapped keeps it until they look again."""
        for path in self.folder.glob("vectors-*"):
            if path not in (self._rows, self._facts):
                path.unlink(missing_ok=True)


def quantised(vectors: Floats) -> tuple[npt.NDArray[np.int8], Floats]:
    """Each row as whole steps of its own largest number; a row of zeros stays one."""
    scale = np.abs(vectors).max(axis=1, initial=0.0) / _STEPS
    steps = np.where(scale > 0, scale, 1)[:, None]
    return np.rint(vectors / steps).astype(np.int8), scale.astype(np.float32)


def _write(path: Path, offset: int, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644), "r+b", buffering=0) as file:
        view, at = memoryview(data), offset
        while view:
            written = os.pwrite(file.fileno(), view, at)
            view, at = view[written:], at + written
        os.fsync(file.fileno())
