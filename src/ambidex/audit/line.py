"""An event as JSON that is safe to keep and to print: one line, bounded, nothing in it that a terminal obeys."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import islice

import msgspec

from ambidex.audit.events import Event, Fact

TEXT_LIMIT = 256
"""Characters of any string; a longer one is cut and ends in `…`."""
LIST_LIMIT = 100
FACTS_LIMIT = 16
SAFE_INTEGER = 2**53
"""Larger ones change their value in readers that know only doubles."""

_TEXTS = tuple(field.name for field in msgspec.structs.fields(Event) if field.type is str)

_encoder = msgspec.json.Encoder()


class Line(Event, frozen=True, kw_only=True):
    """An event as it stands in the log: with its place in the chain and its time."""

    seq: int
    prev: str
    """SHA-256 of the line before, in hexadecimal; of the very first line, zeros."""
    at: str
    """RFC 3339, UTC, by the clock of the store."""
    stream: str = ""
    """In the first line only: the random name of this chain."""


_decoder = msgspec.json.Decoder(Line)


def decode(line: bytes) -> Line:
    """Raises `msgspec.MsgspecError` when it is no line of ours."""
    return _decoder.decode(line)


def encode(event: Event) -> bytes:
    """JSON of the event, whatever was put into it; it never raises over contents."""
    try:
        body = _encoder.encode(event if _is_modest(event) else _bounded(event))
    except UnicodeEncodeError:
        body = _encoder.encode(_bounded(event))
    if body.isascii() and b"\x7f" not in body:
        return body
    return "".join(map(_visible, body.decode())).encode()


def _is_modest(event: Event) -> bool:
    """Whether nothing needs a closer look. Spelled out in sums: this runs inside the transaction of every call."""
    return (
        event.facts is None
        and len(event.tool) + len(event.call_id) + len(event.key) <= TEXT_LIMIT
        and len(event.user) + len(event.tenant) + len(event.conversation) + len(event.session) <= TEXT_LIMIT
        and len(event.args_hash) + len(event.tool_version) + len(event.registry_version) <= TEXT_LIMIT
        and len(event.rule) + len(event.name) + len(event.parent) <= TEXT_LIMIT
        and (not event.records or _is_short(event.records))
        and (not event.intents or _is_short(event.intents))
    )


def _is_short(texts: tuple[str, ...]) -> bool:
    return len(texts) <= LIST_LIMIT and max(map(len, texts)) <= TEXT_LIMIT


def _bounded(event: Event) -> Event:
    texts = {name: _cut(getattr(event, name)) for name in _TEXTS}
    lists = {name: tuple(map(_cut, getattr(event, name)[:LIST_LIMIT])) for name in ("intents", "records")}
    return msgspec.structs.replace(event, **texts, **lists, facts=_plain(event.facts))


def _plain(facts: Mapping[str, Fact] | None) -> dict[str, Fact] | None:
    """Facts may come from a handler, so their types are not believed: what is no scalar is named by its type."""
    if facts is None:
        return None
    return {_cut(str(name)): _scalar(value) for name, value in islice(facts.items(), FACTS_LIMIT)}


def _scalar(value: object) -> Fact:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _cut(value)
    if isinstance(value, int):
        return int(value) if abs(value) <= SAFE_INTEGER else "an integer beyond 2**53"
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(float(value))
    return f"a value of type {type(value).__name__[:64]}"


def _cut(text: str) -> str:
    """At most the limit, and without halves of surrogate pairs, which have no UTF-8."""
    text = text[: TEXT_LIMIT + 1].encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= TEXT_LIMIT else text[: TEXT_LIMIT - 1] + "…"


def _visible(character: str) -> str:
    """Escaped if it moves a cursor, breaks a line or hides: JSON itself escapes only the first 32 of these."""
    if character.isprintable():
        return character
    code = ord(character)
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
