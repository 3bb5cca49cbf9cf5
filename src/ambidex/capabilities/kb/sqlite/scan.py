"""The nearest slots of a vector file: a scan over all that the filters leave, so that no filter costs recall."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np

from ambidex.capabilities.kb.sqlite.vector_file import Floats, Numbers, Slots

_BLOCK = 2_048
"""Slots at once: as floats they fit into a core's cache."""
_ALONE = 40_000
"""Up to so many slots a second thread costs more than it saves."""


def selected(
    slots: Slots,
    *,
    namespaces: Sequence[int],
    type: int | None,
    start: int | None,
    end: int | None,
    records: Numbers | None,
) -> Numbers:
    """The slots that filters leave, in order."""
    mask = np.zeros(len(slots.rows), bool)
    for code in namespaces:
        mask |= slots.namespace == code
    if type is not None:
        mask &= slots.type == type
    if start is not None:
        mask &= slots.updated >= start
    if end is not None:
        mask &= slots.updated <= end
    if records is not None:
        mask &= np.isin(slots.record, records)
    return np.flatnonzero(mask)


def nearest(slots: Slots, among: Numbers, query: Floats, *, records: int, spare: int = 4) -> Numbers:
    """Slots of at least so many records, if there are as many, nearest first by their int8 rows.

    `spare` times as many are brought: int8 orders neighbours only roughly, and exact vectors decide afterwards.
    """
    near = _similarities(slots, among, query)
    most = records * spare
    while True:
        top = np.argpartition(-near, most)[:most] if most < len(near) else np.arange(len(near))
        if most >= len(near) or len(np.unique(slots.record[among[top]])) >= records:
            return among[top[np.argsort(-near[top], kind="stable")]]
        most *= 4


def _similarities(slots: Slots, among: Numbers, query: Floats) -> Floats:
    near = np.empty(len(among), np.float32)
    whole = len(among) == len(slots.rows)
    workers = 1 if len(among) <= _ALONE else _threads()
    edges = np.linspace(0, len(among), workers + 1).astype(int)

    def part(low: int, high: int) -> None:
        room = np.empty((_BLOCK, slots.rows.shape[1]), np.float32)
        for at in range(low, high, _BLOCK):
            stop = min(at + _BLOCK, high)
            floats = room[: stop - at]
            np.copyto(floats, slots.rows[at:stop] if whole else slots.rows[among[at:stop]], casting="unsafe")
            np.dot(floats, query, out=near[at:stop])

    if workers == 1:
        part(0, len(among))
    else:
        list(_pool(os.getpid()).map(part, edges[:-1], edges[1:]))
    near *= slots.scale if whole else slots.scale[among]
    return near


def _threads() -> int:
    return min(4, os.cpu_count() or 1)


@cache
def _pool(process: int) -> ThreadPoolExecutor:
    """A fork has none of its parent's threads, so each process has a pool of its own."""
    return ThreadPoolExecutor(_threads(), "ambidex-kb-scan")
