"""What the model sees of an envelope. Tokens, redacted values and internals are in none of these."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, TypeAlias

import msgspec

from ambidex.audit.redact import redact as redacted
from ambidex.contracts.response import ToolResponse

View: TypeAlias = Literal["full", "compact", "payload"]


def model_view(response: ToolResponse, view: View = "full", *, redact: Iterable[str] = ()) -> dict[str, Any]:
    """`full`: the envelope; `compact`: ok, data or error, notices; `payload`: data or error, and notices.

    `redact` are the paths that the tool's author named; a request's arguments were redacted when it was made.
    """
    whole: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(response))
    if "data" in whole:
        whole["data"] = redacted(whole["data"], redact, "data")
    if view == "full":
        return whole
    names = ("ok", "data", "error", "notices") if view == "compact" else ("data", "error", "notices")
    return {name: whole[name] for name in names if name in whole}
