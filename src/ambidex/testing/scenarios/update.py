"""`expect`, written anew from what happened. Everything else in the file stays as it was typed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ambidex.testing.scenarios.play import Outcome

_BLANK = " \t\r\n"


def updated(expect: Mapping[str, Any], outcome: Outcome) -> dict[str, Any]:
    """The same members as before, as they are now; a call that now ends otherwise also says how."""
    seen = outcome.seen()
    new = {"ok": seen["ok"]}
    for name, before in expect.items():
        if name == "dataIncludes" and "data" in seen:
            new[name] = _narrowed(before, seen["data"])
        elif name == "error" and "error" in seen:
            new[name] = {"type": seen["error"]["type"]} | _narrowed(before, seen["error"])
        elif name in seen:
            new[name] = seen[name]
    if not seen["ok"] and "error" not in new:
        new["error"] = {"type": seen["error"]["type"]}
    if seen["ok"] and not expect.get("ok", True) and "data" not in new:
        new["data"] = seen["data"]
    return new


def first(outcome: Outcome) -> dict[str, Any]:
    """For a scenario that expects nothing yet: all that was seen, but of an error the part that is not wording."""
    seen = outcome.seen()
    if "error" in seen:
        seen["error"] = {name: seen["error"][name] for name in ("type", "retryable")}
    return seen


def _narrowed(part: Any, whole: Any) -> Any:
    """As much of `whole` as `part` speaks of."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return {name: _narrowed(value, whole[name]) for name, value in part.items() if name in whole}
    if isinstance(part, list) and isinstance(whole, list) and len(part) == len(whole):
        return [_narrowed(one, other) for one, other in zip(part, whole, strict=True)]
    return whole


def rewrite(path: Path, expect: Mapping[str, Any]) -> None:
    text = path.read_text("utf-8")
    path.write_text(with_expect(text, expect), "utf-8")


def with_expect(text: str, expect: Mapping[str, Any]) -> str:
    """A scenario file's text with another `expect`, which is added at the end where there was none."""
    value = json.dumps(expect, ensure_ascii=False, indent=2).replace("\n", "\n  ")
    end = 0
    for name, start, end in _members(text):
        if name == "expect":
            return f"{text[:start]}{value}{text[end:]}"
    return f'{text[:end]},\n  "expect": {value}{text[end:]}'


def _members(text: str) -> Iterator[tuple[str, int, int]]:
    """Name of each member of the object, and where its value begins and ends."""
    decoder = json.JSONDecoder()
    at = _skip(text, text.index("{") + 1)
    while text[at] != "}":
        name, at = decoder.raw_decode(text, at)
        start = _skip(text, _skip(text, at) + 1)
        _, end = decoder.raw_decode(text, start)
        yield name, start, end
        at = _skip(text, end, _BLANK + ",")


def _skip(text: str, at: int, characters: str = _BLANK) -> int:
    while text[at] in characters:
        at += 1
    return at
