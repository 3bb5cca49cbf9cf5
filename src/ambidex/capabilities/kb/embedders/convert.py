"""safetensors -> ONNX: writes MiniLM, a small BERT, as a graph from one text's tokens to its vector.

There is no padding and no mask: a text runs alone, so its vector depends on nothing but the text. int8 makes that
matter: a batch would share one scale, and a text would get another vector with every other neighbour.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ambidex.capabilities.kb.embedders.graph import Exact, Graph, Int8, Tables
from ambidex.capabilities.kb.embedders.safetensors import read_tensors
from ambidex.errors import MissingExtra

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[np.float32]]

WIDTH = 384
HEADS = 12
INPUT = "tokens"
OUTPUT = "vector"
_EPSILON = 1e-12
_SMALLEST_LENGTH = 1e-9


def convert(weights: Path, out: Path, *, exact: bool = False) -> None:
    """Write the model of these weights: int8, or exact to compare with. ValueError: they are of another model."""
    try:
        import onnx
    except ImportError:
        raise MissingExtra("converting the model", "models") from None
    tensors = read_tensors(weights)
    try:
        model = _Bert(tensors, Exact() if exact else Int8()).model()
    except KeyError as missing:
        raise ValueError(f"{weights.name} holds another model: there is no {missing} in it") from None
    onnx.save(model, str(out))


class _Bert:
    """One graph being written from one set of tensors."""

    def __init__(self, tensors: Mapping[str, Array], tables: Tables) -> None:
        self._tensors = tensors
        self._tables = tables
        self._graph = Graph()

    def model(self) -> Any:
        values = self._embeddings()
        for number in range(self._layers()):
            layer = f"encoder.layer.{number}"
            values = self._normed(f"{layer}.attention.output", values, self._attention(layer, values))
            values = self._normed(f"{layer}.output", values, self._feed_forward(layer, values))
        self._mean(values)
        return self._graph.model(INPUT, OUTPUT, width=WIDTH)

    def _layers(self) -> int:
        return sum(name.endswith(".intermediate.dense.bias") for name in self._tensors)

    def _embeddings(self) -> str:
        """Word + position; every token is of the first type, so its row is added to the positions here."""
        graph, tensors = self._graph, self._tensors
        words = self._tables.rows(graph, INPUT, tensors["embeddings.word_embeddings.weight"])
        places = (
            tensors["embeddings.position_embeddings.weight"] + tensors["embeddings.token_type_embeddings.weight"][0]
        )
        length = graph.do("Slice", graph.do("Shape", INPUT), graph.whole(1), graph.whole(2))
        used = graph.do("Slice", graph.constant(places), graph.whole(0), length, graph.whole(0))
        return self._layer_norm("embeddings", graph.do("Add", words, used))

    def _attention(self, layer: str, values: str) -> str:
        graph = self._graph
        mixed = self._tables.linear(graph, values, *self._queries_keys_values(layer))
        heads = graph.do("Reshape", mixed, graph.whole(0, 0, 3, HEADS, WIDTH // HEADS))
        queries, keys, contents = (
            graph.do("Gather", graph.do("Transpose", heads, perm=[2, 0, 3, 1, 4]), graph.scalar(part), axis=0)
            for part in range(3)
        )
        scores = graph.do("MatMul", queries, graph.do("Transpose", keys, perm=[0, 1, 3, 2]))
        seen = graph.do("MatMul", graph.do("Softmax", scores, axis=-1), contents)
        joined = graph.do("Reshape", graph.do("Transpose", seen, perm=[0, 2, 1, 3]), graph.whole(0, 0, WIDTH))
        return self._linear(f"{layer}.attention.output.dense", joined)

    def _queries_keys_values(self, layer: str) -> tuple[Array, Array]:
        """The three projections as one, with the scaling of scores inside the queries' part."""
        import numpy as np

        scale = np.float32((WIDTH // HEADS) ** -0.5)
        weights, biases = [], []
        for part, factor in (("query", scale), ("key", np.float32(1)), ("value", np.float32(1))):
            weights.append(self._tensors[f"{layer}.attention.self.{part}.weight"].T * factor)
            biases.append(self._tensors[f"{layer}.attention.self.{part}.bias"] * factor)
        return np.concatenate(weights, axis=1), np.concatenate(biases)

    def _feed_forward(self, layer: str, values: str) -> str:
        inner = self._graph.do("Gelu", self._linear(f"{layer}.intermediate.dense", values))
        return self._linear(f"{layer}.output.dense", inner)

    def _linear(self, name: str, values: str) -> str:
        weight, bias = self._tensors[f"{name}.weight"].T, self._tensors[f"{name}.bias"]
        return self._tables.linear(self._graph, values, weight, bias)

    def _normed(self, name: str, values: str, change: str) -> str:
        return self._layer_norm(name, self._graph.do("Add", values, change))

    def _layer_norm(self, name: str, values: str) -> str:
        scale = self._graph.constant(self._tensors[f"{name}.LayerNorm.weight"])
        shift = self._graph.constant(self._tensors[f"{name}.LayerNorm.bias"])
        return self._graph.do("LayerNormalization", values, scale, shift, axis=-1, epsilon=_EPSILON)

    def _mean(self, values: str) -> None:
        """The mean over the tokens, of length one."""
        graph = self._graph
        mean = graph.do("ReduceMean", values, graph.whole(1), keepdims=0)
        length = graph.do("ReduceL2", mean, graph.whole(1), keepdims=1)
        graph.result("Div", mean, graph.do("Max", length, graph.number(_SMALLEST_LENGTH)), name=OUTPUT)
