"""The model once more, as its paper describes it, in numpy: what the graph is compared with."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

HEADS = 12
Values = np.ndarray[Any, np.dtype[np.float64]]
_erf = np.vectorize(math.erf)


def vector(tensors: dict[str, Any], tokens: list[int]) -> Values:
    """The mean over the tokens of what the last layer says, of length one."""
    values = _normed(tensors, "embeddings", _embeddings(tensors, tokens))
    layer = 0
    while f"encoder.layer.{layer}.output.dense.bias" in tensors:
        values = _layer(tensors, f"encoder.layer.{layer}", values)
        layer += 1
    mean = values.mean(axis=0)
    result: Values = mean / np.linalg.norm(mean)
    return result


def _embeddings(tensors: dict[str, Any], tokens: list[int]) -> Values:
    words = tensors["embeddings.word_embeddings.weight"][tokens].astype(np.float64)
    places = tensors["embeddings.position_embeddings.weight"][: len(tokens)]
    result: Values = words + places + tensors["embeddings.token_type_embeddings.weight"][0]
    return result


def _layer(tensors: dict[str, Any], name: str, values: Values) -> Values:
    seen = _linear(tensors, f"{name}.attention.output.dense", _attention(tensors, name, values))
    values = _normed(tensors, f"{name}.attention.output", values + seen)
    inner = _linear(tensors, f"{name}.intermediate.dense", values)
    inner = inner * 0.5 * (1 + _erf(inner / math.sqrt(2)))
    return _normed(tensors, f"{name}.output", values + _linear(tensors, f"{name}.output.dense", inner))


def _attention(tensors: dict[str, Any], name: str, values: Values) -> Values:
    queries, keys, contents = (
        _linear(tensors, f"{name}.attention.self.{part}", values).reshape(len(values), HEADS, -1)
        for part in ("query", "key", "value")
    )
    heads = []
    for head in range(HEADS):
        scores = queries[:, head] @ keys[:, head].T / math.sqrt(queries.shape[-1])
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        heads.append(weights / weights.sum(axis=1, keepdims=True) @ contents[:, head])
    return np.concatenate(heads, axis=1)


def _linear(tensors: dict[str, Any], name: str, values: Values) -> Values:
    result: Values = values @ tensors[f"{name}.weight"].T + tensors[f"{name}.bias"]
    return result


def _normed(tensors: dict[str, Any], name: str, values: Values) -> Values:
    centred = values - values.mean(axis=-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-12)
    result: Values = scaled * tensors[f"{name}.LayerNorm.weight"] + tensors[f"{name}.LayerNorm.bias"]
    return result
