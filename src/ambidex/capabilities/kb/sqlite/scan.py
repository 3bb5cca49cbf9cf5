"""The nearest slots of a vector file: a scan over all that the filters leave, so that no filter costs recall."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np

from ambidex.capabilities.kb.sqlite.vector_file import Floats, Numbers, Slots, tag_number

_BLOCK = 256
"""Slots at once: as floats they fit into a core's own cache."""
_ALONE = 40_000
"""Up to so many slots one thread does it; an estimate."""


def selected(
    slots: Slots,
    *,
    namespaces: Sequence[int],
    type: int | None = None,
    start: int | None = None,
    end: int | None = None,
    tags: Sequence[str] = (),
) -> Numbers:
    """The slots that filters leave, in order; with a tag perhaps a few too many."""
    mask = np.zeros(len(slots.rows), bool)
    for code in namespaces:
        mask |= slots.namespace == code
    if type is not None:
        mask &= slots.type == type
    if start is not None:
        mask &= slots.updated >= start
    if end is not None:
        mask &= slots.updated <= end
    for tag in tags:
        holding = np.zeros_like(mask)
        holding[slots.tagged[slots.tag == tag_number(tag)]] = True
        mask &= holding
    return np.flatnonzero(mask)


def nearest(slots: Slots, among: Numbers, query: Floats, *, records: int, spare: int = 4) -> Numbers:
    """The nearest slot of each of so many records, if there are as many, nearest first. `among` is in order.

    `spare` times as many slots are looked at to begin with, since a record may have several.
    """
    near = _similarities(slots, among, query)
    most = records * spare
    while True:
        top = np.argpartition(-near, most)[:most] if most < len(near) else np.arange(len(near))
        ordered = among[top[np.argsort(-near[top], kind="stable")]]
        _, first = np.unique(slots.record[ordered], return_index=True)
        if most >= len(near) or len(first) >= records:
            return ordered[np.sort(first)[:records]]
        most *= 4


def cosines(slots: Slots, numbers: Numbers, query: Floats) -> Floats:
    """Of a few slots: within about 0.001 of the exact ones."""
    near: Floats = slots.rows[numbers].astype(np.float32) @ query
    return near * slots.scale[numbers]


def _similarities(slots: Slots, among: Numbers, query: Floats) -> Floats:
    near = np.empty(len(among), np.float32)
    workers = 1 if len(among) <= _ALONE else _threads()
    edges = np.linspace(0, len(among), workers + 1).astype(int)

    def part(low: int, high: int) -> None:
        # Room that is used again: a new array for every block costs more than the arithmetic.
        room = np.empty((_BLOCK, slots.rows.shape[1]), np.float32)
        taken = np.empty((_BLOCK, slots.rows.shape[1]), np.int8)
        for at in range(low, high, _BLOCK):
            stop = min(at + _BLOCK, high)
            floats, numbers = room[: stop - at], among[at:stop]
            if numbers[-1] - numbers[0] == len(numbers) - 1:  # a run: no need to gather
                rows = slots.rows[numbers[0] : numbers[-1] + 1]
            else:
                rows = np.take(slots.rows, numbers, axis=0, out=taken[: stop - at], mode="clip")
            np.copyto(floats, rows, casting="unsafe")
            np.dot(floats, query, out=near[at:stop])

    if workers == 1:
        part(0, len(among))
    else:
        list(_pool(os.getpid()).map(part, edges[:-1], edges[1:]))
    near *= slots.scale[among]
    return near


def _threads() -> int:
    return min(4, os.cpu_count() or 1)


@cache
def _pool(process: int) -> ThreadPoolExecutor:
    """A fork has none of its parent's threads, so each process has a pool of its own."""
    return ThreadPoolExecutor(_threads(), "ambidex-kb-scan")
