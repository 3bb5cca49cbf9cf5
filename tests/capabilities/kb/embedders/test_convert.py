"""Weights -> graph: exact where it may be, near where it is int8, and clear about files that are something else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.capabilities.kb.embedders import bert, tiny

from ambidex.capabilities.kb.embedders.convert import INPUT, convert
from ambidex.capabilities.kb.embedders.safetensors import read_tensors


class Model:
    def __init__(self, weights: Path, *, exact: bool) -> None:
        convert(weights, path := weights.with_suffix(f".{exact}.onnx"), exact=exact)
        self._session: Any = onnxruntime.InferenceSession(path)

    def vector(self, tokens: Sequence[int]) -> np.ndarray[Any, np.dtype[np.float32]]:
        row: np.ndarray[Any, np.dtype[np.float32]] = self._session.run(None, {INPUT: np.array([tokens])})[0][0]
        return row


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("weights") / "model.safetensors"
    tiny.write_safetensors(path, tiny.tensors())
    return path


@pytest.fixture(scope="module")
def exact(weights: Path) -> Model:
    return Model(weights, exact=True)


@pytest.fixture(scope="module")
def small(weights: Path) -> Model:
    return Model(weights, exact=False)


TENSORS = tiny.tensors()
TOKENS = st.lists(st.integers(0, len(tiny.WORDS) - 1), min_size=1, max_size=40)


@given(tokens=TOKENS)
@settings(max_examples=10, deadline=None)
def test_the_graph_computes_what_the_paper_says(exact: Model, tokens: list[int]) -> None:
    assert np.allclose(exact.vector(tokens), bert.vector(TENSORS, tokens), atol=1e-5)


@given(tokens=TOKENS)
@settings(max_examples=25, deadline=None)
def test_int8_stays_near_and_keeps_length_one(exact: Model, small: Model, tokens: list[int]) -> None:
    vector = small.vector(tokens)
    assert float(vector @ exact.vector(tokens)) > 0.99
    assert float(np.linalg.norm(vector)) == pytest.approx(1, abs=1e-5)


def test_int8_takes_a_third_of_the_room_though_positions_stay_exact(weights: Path, tmp_path: Path) -> None:
    convert(weights, out := tmp_path / "model.onnx")
    assert out.stat().st_size < 0.35 * weights.stat().st_size


def test_every_tensor_is_read_as_it_was_written(weights: Path) -> None:
    read = read_tensors(weights)
    assert read.keys() == tiny.tensors().keys()
    assert all(np.array_equal(read[name], values) for name, values in tiny.tensors().items())


def test_a_file_that_was_cut_short_is_named(weights: Path, tmp_path: Path) -> None:
    short = tmp_path / "short.safetensors"
    short.write_bytes(weights.read_bytes()[:100_000])
    with pytest.raises(ValueError, match=r"short\.safetensors is cut short"):
        convert(short, tmp_path / "out")


@pytest.mark.parametrize("content", [b"", b"\x00" * 40, b"\xff" * 40, b"\x05\x00\x00\x00\x00\x00\x00\x00[1,2]"])
def test_what_is_no_safetensors_file_is_refused(tmp_path: Path, content: bytes) -> None:
    (path := tmp_path / "other").write_bytes(content)
    with pytest.raises(ValueError, match="other is no safetensors file"):
        convert(path, tmp_path / "out")


def test_weights_of_another_model_are_refused(tmp_path: Path) -> None:
    tensors = tiny.tensors()
    del tensors["embeddings.LayerNorm.bias"]
    tiny.write_safetensors(path := tmp_path / "other.safetensors", tensors)
    with pytest.raises(ValueError, match=r"another model: there is no 'embeddings\.LayerNorm\.bias'"):
        convert(path, tmp_path / "out")
    assert not (tmp_path / "out").exists()
