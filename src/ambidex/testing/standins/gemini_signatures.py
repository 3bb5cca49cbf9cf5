"""Thought signatures: given with a part, wanted back on that very part, by the model that gave them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ambidex.testing.standins.refusal import Refusal
from ambidex.testing.standins.seals import seal

MISSING = "Function call is missing a thought_signature in functionCall parts."


def signed(part: dict[str, Any], model: str) -> dict[str, Any]:
    return {**part, "thoughtSignature": seal(model, part)}


def check_signatures(contents: Sequence[dict[str, Any]], model: str) -> None:
    """Signatures fit their part and this model; in the current turn the first call of every step has one."""
    for content in contents:
        for part in content["parts"]:
            _check_place(part, model)
    for content in contents[_current_turn(contents) :]:
        calls = [part for part in content["parts"] if "functionCall" in part]
        if calls and "thoughtSignature" not in calls[0]:
            raise Refusal(f"{MISSING} This is required for tools to work correctly.")


def _check_place(part: dict[str, Any], model: str) -> None:
    bare = {name: value for name, value in part.items() if name != "thoughtSignature"}
    # Bytes in JSON come in either alphabet of base64; clients write the one or the other.
    given = str(part.get("thoughtSignature", "")).translate(str.maketrans("-_", "+/"))
    if "thoughtSignature" in part and given != seal(model, bare):
        raise Refusal("Thought signature is not valid.")


def _current_turn(contents: Sequence[dict[str, Any]]) -> int:
    """Where the user last said something: older signatures may be left out."""
    said = [
        number
        for number, content in enumerate(contents)
        if content.get("role", "user") == "user" and any("text" in part for part in content["parts"])
    ]
    return said[-1] if said else 0
