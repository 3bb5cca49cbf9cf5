"""Vectors under filters: as good as looking at every one of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from tests.support.soak import soak

from ambidex.capabilities.kb.sqlite.scan import nearest, selected
from ambidex.capabilities.kb.sqlite.vector_file import VectorFile, quantised

MANY, DIM, TOP = soak(4_000, 100_000), 96, 10


def test_recall_under_filters_is_at_least_99_percent_of_exact(tmp_path: Path) -> None:
    dice = np.random.default_rng(5)
    centres = dice.standard_normal((40, DIM))
    vectors = (centres[dice.integers(0, 40, MANY)] + dice.standard_normal((MANY, DIM))).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    spaces, types, days = dice.integers(1, 4, MANY), dice.integers(1, 6, MANY), dice.integers(0, 1_000, MANY)
    facts = [(n, n, int(days[n]), int(spaces[n]), int(types[n])) for n in range(MANY)]
    file = VectorFile(tmp_path, 1, DIM)
    file.write(0, vectors, facts)
    slots, recalls = file.map(MANY), []
    for number in range(60):
        space, kind, start = int(dice.integers(1, 4)), int(dice.integers(1, 6)), int(dice.integers(0, 900))
        query = vectors[number] + dice.standard_normal(DIM).astype(np.float32) * 0.1
        kept = np.flatnonzero((spaces == space) & (types == kind) & (days >= start))
        among = selected(slots, namespaces=[space], type=kind, start=start, end=None, records=None)
        assert among.tolist() == kept.tolist()
        wanted = kept[np.argsort(-(vectors[kept] @ query), kind="stable")[:TOP]]
        near = nearest(slots, among, query, records=TOP)
        found = near[np.argsort(-(vectors[near] @ query), kind="stable")[:TOP]]
        recalls.append(len(set(found.tolist()) & set(wanted.tolist())) / max(1, len(wanted)))
    assert np.mean(recalls) >= 0.99


def test_a_record_of_many_passages_does_not_push_the_others_out(tmp_path: Path) -> None:
    near, far = np.eye(8, dtype=np.float32)[:1], np.eye(8, dtype=np.float32)[1:2]
    vectors = np.concatenate([np.repeat(near, 500, axis=0), np.repeat(near + far, 5, axis=0)]).astype(np.float32)
    file = VectorFile(tmp_path, 1, 8)
    file.write(0, vectors, [(n, 1 if n < 500 else n, 0, 1, 1) for n in range(505)])
    slots = file.map(505)
    found = nearest(slots, np.arange(505), near[0], records=6)
    assert len(set(slots.record[found].tolist())) == 6


def test_blanked_slots_are_no_longer_selected(tmp_path: Path) -> None:
    file = VectorFile(tmp_path, 1, 4)
    file.write(0, np.eye(4, dtype=np.float32), [(n, n, 0, 1, 1) for n in range(4)])
    file.blank([1, 2])
    among = selected(file.map(4), namespaces=[1], type=None, start=None, end=None, records=None)
    assert among.tolist() == [0, 3]


def test_a_row_of_zeros_stays_one() -> None:
    rows, scale = quantised(np.zeros((2, 4), np.float32))
    assert not rows.any()
    assert not scale.any()
