"""What the model sees of an envelope. Tokens, redacted values and internals are in none of these."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from ambidex.contracts.response import ToolResponse

View: TypeAlias = Literal["full", "compact", "payload"]


def model_view(response: ToolResponse, view: View = "full") -> dict[str, Any]:
    """`full`: the envelope; `compact`: ok, data or error, notices; `payload`: data or error, and notices."""
    whole: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(response))
    if view == "full":
        return whole
    names = ("ok", "data", "error", "notices") if view == "compact" else ("data", "error", "notices")
    return {name: whole[name] for name in names if name in whole}
