"""Reads a safetensors file: a length, a JSON table of names, then plain numbers. Sizes are checked before use."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    import numpy as np

_LENGTH_BYTES = 8
_LONGEST_TABLE = 16 << 20
"""A damaged length must not make us read the whole file as JSON."""


def read_tensors(path: Path) -> dict[str, np.ndarray[Any, np.dtype[np.float32]]]:
    """The float32 tensors of the file by name, mapped rather than read. ValueError: it is not such a file."""
    import numpy as np

    table, start = _table(path)
    if path.stat().st_size <= start:
        raise ValueError(f"{path.name} is cut short: it holds no numbers")
    data = np.memmap(path, dtype=np.uint8, mode="r", offset=start)
    tensors = {}
    for name, entry in table.items():
        begin, end = entry.data_offsets
        if not 0 <= begin <= end <= data.size:
            raise ValueError(f"{path.name} is cut short: {name} lies outside of it")
        if entry.dtype == "F32":
            tensors[name] = data[begin:end].view(np.float32).reshape(entry.shape)
    return tensors


class _Entry(msgspec.Struct):
    dtype: str
    shape: tuple[int, ...]
    data_offsets: tuple[int, int]


def _table(path: Path) -> tuple[dict[str, _Entry], int]:
    """The table of names, and where the numbers start."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
        text = file.read(min(length, _LONGEST_TABLE))
    try:
        table = msgspec.json.decode(text, type=dict[str, msgspec.Raw])
        table.pop("__metadata__", None)
        entries = {name: msgspec.json.decode(entry, type=_Entry) for name, entry in table.items()}
    except msgspec.DecodeError as error:
        raise ValueError(f"{path.name} is no safetensors file: {error}") from None
    return entries, _LENGTH_BYTES + length
