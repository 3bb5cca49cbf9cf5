"""Something wrong at a place, before the compiler decides how severe it is."""

from __future__ import annotations

import msgspec


class Finding(msgspec.Struct, frozen=True, array_like=True):
    """`file` is relative to the tool's folder; an empty one means the folder itself."""

    code: str
    file: str
    message: str
    fix: str
    line: int = 1
    column: int = 1
