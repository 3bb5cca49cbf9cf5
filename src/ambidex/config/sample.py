"""An `ambidex.toml` to start from: every key with its meaning, its default commented out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby

from ambidex.config.keys import KEYS, VALUES, Key


def sample_toml() -> str:
    """Every line is a comment: the file sets nothing until somebody uncomments a line."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "# Every key is optional; what is commented out is the default. `ambidex doctor` shows the effective values."
    for table, group in groupby((key for key in KEYS if key is not VALUES), key=_table):
        if table:
            yield from ("", f"#[{table}]")
        for key in group:
            yield from ("", f"# {key.meaning}", f"#{key.name.removeprefix(table + '.')} = {json.dumps(key.default)}")
    yield from ("", f"# {VALUES.meaning}", f"#[{VALUES.name}]")


def _table(key: Key[object]) -> str:
    return key.name.rpartition(".")[0]
