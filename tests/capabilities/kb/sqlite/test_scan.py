"""Vectors under filters: as good as looking at every one of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from tests.support.soak import soak

from ambidex.capabilities.kb.sqlite.scan import cosines, nearest, selected
from ambidex.capabilities.kb.sqlite.vector_file import Extent, Fact, VectorFile, quantised

MANY, DIM, TOP = soak(4_000, 100_000), 96, 10
START = Extent(0, 0)


def test_recall_under_filters_is_at_least_99_percent_of_exact(tmp_path: Path) -> None:
    dice = np.random.default_rng(5)
    centres = dice.standard_normal((40, DIM))
    vectors = (centres[dice.integers(0, 40, MANY)] + dice.standard_normal((MANY, DIM))).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    spaces, types, days = dice.integers(1, 4, MANY), dice.integers(1, 6, MANY), dice.integers(0, 1_000, MANY)
    facts = [Fact(n, n, int(days[n]), int(spaces[n]), int(types[n])) for n in range(MANY)]
    file = VectorFile(tmp_path, 1, DIM)
    slots, recalls = file.map(file.write(START, vectors, facts)), list[float]()
    for number in range(60):
        space, kind, start = int(dice.integers(1, 4)), int(dice.integers(1, 6)), int(dice.integers(0, 900))
        query = vectors[number] + dice.standard_normal(DIM).astype(np.float32) * 0.1
        kept = np.flatnonzero((spaces == space) & (types == kind) & (days >= start))
        among = selected(slots, namespaces=[space], type=kind, start=start)
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
    slots = file.map(file.write(START, vectors, [Fact(n, 1 if n < 500 else n, 0, 1, 1) for n in range(505)]))
    found = nearest(slots, np.arange(505), near[0], records=6)
    assert len(set(slots.record[found].tolist())) == 6


def test_blanked_slots_are_no_longer_selected(tmp_path: Path) -> None:
    file = VectorFile(tmp_path, 1, 4)
    slots = file.map(file.write(START, np.eye(4, dtype=np.float32), [Fact(n, n, 0, 1, 1) for n in range(4)]))
    file.blank([1, 2])
    assert selected(slots, namespaces=[1]).tolist() == [0, 3], "also by a reader that had the file mapped before"


def test_a_row_of_zeros_stays_one() -> None:
    rows, scale = quantised(np.zeros((2, 4), np.float32))
    assert not rows.any()
    assert not scale.any()


def test_every_tag_must_be_there(tmp_path: Path) -> None:
    file = VectorFile(tmp_path, 1, 4)
    tags: list[list[str]] = [["red"], ["red", "blue"], [], ["blue", "red", "green"]]
    end = file.write(START, np.eye(4, dtype=np.float32), [Fact(n, n, 0, 1, 1, tags[n]) for n in range(4)])
    slots = file.map(
        file.write(end, np.eye(4, dtype=np.float32), [Fact(n, n, 0, 1, 1, tags[n - 4]) for n in range(4, 8)])
    )
    assert selected(slots, namespaces=[1], tags=["red", "blue"]).tolist() == [1, 3, 5, 7]
    assert selected(slots, namespaces=[1], tags=["red", "none"]).tolist() == []


def test_cosines_are_as_good_as_exact_ones_for_any_decision(tmp_path: Path) -> None:
    dice = np.random.default_rng(3)
    vectors = dice.standard_normal((500, 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    file = VectorFile(tmp_path, 1, 384)
    slots = file.map(file.write(START, vectors, [Fact(n, n, 0, 1, 1) for n in range(500)]))
    near = cosines(slots, np.arange(500), vectors[7])
    assert np.abs(near - vectors @ vectors[7]).max() < 0.002
