"""A record: one thing the base knows, and the checks that let it in.

How files become raw mappings is the importer's work; what is stored is the engine's.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from ambidex.errors import AmbidexError

TYPES = ("project", "person", "process", "link", "doc")
MAX_TEXT_BYTES = 1 << 20
MAX_TITLE = 300
MAX_TAGS = 20
MAX_TAG = 60
MAX_METADATA_BYTES = 16 << 10
MAX_METADATA_DEPTH = 16
"""Half of what an answer may be nested: the metadata stand somewhere inside one."""
MAX_ID = 200
MAX_URL = 2_000
MAX_SOURCES = 50

_ID = re.compile(r"([a-z]+):([a-z0-9][a-z0-9._-]*)", re.ASCII)
_NAMESPACE = re.compile(r"[a-z][a-z0-9_-]{0,31}", re.ASCII)
_SOURCE_TYPE = re.compile(r"[a-z][a-z0-9_-]{0,31}", re.ASCII)
_URL = re.compile(r"https?://[^\s/?#]+\S*", re.IGNORECASE)
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_json = msgspec.json.Encoder(order="deterministic").encode


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """One thing the base knows."""

    id: str
    """`type:slug`, unique in the whole base."""
    type: str
    namespace: str
    title: str
    text: str = ""
    tags: tuple[str, ...] = ()
    url: str | None = None
    source_type: str = "document"
    last_updated: str
    """RFC 3339 in UTC, to the second or finer, ending in `Z`."""
    metadata: dict[str, Any] = msgspec.field(default_factory=dict)
    sources: tuple[str, ...] = ()


class RecordError(AmbidexError):
    """Something is no record: `field` says where, the message what to do."""

    def __init__(self, message: str, field: str) -> None:
        self.field = field
        super().__init__(f"{field}: {message}")


def parse_record(raw: Mapping[str, Any], *, default_namespace: str = "studio", default_updated: str) -> Record:
    """A record of what a file said, or a `RecordError` about its first mistake."""
    for name in raw:
        if name not in Record.__struct_fields__:
            known = ", ".join(Record.__struct_fields__)
            raise RecordError(f"is no field of a record; put it under metadata, or use one of {known}", str(name))
    read = {name: _readers[name](value) for name, value in raw.items() if value is not None}
    for name in ("id", "title"):
        if name not in read:
            raise RecordError("is missing", name)
    kind = read["id"].split(":", 1)[0]
    if read.setdefault("type", kind) != kind:
        raise RecordError(f"is {read['type']}, but the id begins with {kind}:; make them agree", "type")
    read.setdefault("namespace", _namespace(default_namespace))
    read.setdefault("last_updated", instant(default_updated, "last_updated"))
    return Record(**read)


def content_hash(record: Record) -> str:
    """The same for the same record, whatever the order of its metadata."""
    return hashlib.sha256(_json(record)).hexdigest()


def instant(value: Any, field: str) -> str:
    """A time as a record tells it: UTC, to the second or finer, ending in `Z`. A time without a zone is UTC."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            raise RecordError(f"{_shown(value)} is no date-time such as 2026-03-01T09:30:00Z", field) from None
    if not isinstance(value, datetime):
        raise RecordError("is no date-time such as 2026-03-01T09:30:00Z", field)
    try:
        moment = value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError:
        raise RecordError("lies outside the years 1 to 9999", field) from None
    shape = "%H:%M:%S.%fZ" if moment.microsecond else "%H:%M:%SZ"
    return f"{moment.year:04d}-{moment.month:02d}-{moment.day:02d}T{moment.strftime(shape)}"


def micros(value: str, field: str) -> int:
    """The same time as a number, to compare by: two spellings of one moment are one number."""
    since = datetime.fromisoformat(instant(value, field)) - _EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def _text(value: Any, field: str, *, most: int) -> str:
    if not isinstance(value, str):
        raise RecordError(f"must be text, not {type(value).__name__}; quote it", field)
    if (bad := _UNSTORABLE.search(value)) is not None:
        raise RecordError(f"holds U+{ord(bad[0]):04X} at position {bad.start()}, which is no text; remove it", field)
    if len(value) > most:
        raise RecordError(f"is {len(value):,} characters long; at most {most:,} are kept", field)
    return value


def _id(value: Any) -> str:
    found = _text(value, "id", most=MAX_ID)
    match = _ID.fullmatch(found)
    if match is None or match[1] not in TYPES:
        kinds = ", ".join(TYPES)
        raise RecordError(f"{_shown(found)} is not type:slug, as person:ada-byrne; types: {kinds}", "id")
    return found


def _type(value: Any) -> str:
    if value not in TYPES:
        raise RecordError(f"{_shown(value)} is none of {', '.join(TYPES)}", "type")
    return str(value)


def _namespace(value: Any) -> str:
    return _word(value, "namespace", _NAMESPACE)


def _word(value: Any, field: str, shape: re.Pattern[str]) -> str:
    if not isinstance(value, str) or shape.fullmatch(value) is None:
        raise RecordError(f"{_shown(value)} is not a lower-case word of at most 32 letters, digits, - or _", field)
    return value


def _title(value: Any) -> str:
    title = " ".join(_text(value, "title", most=MAX_TITLE).split())
    if not title:
        raise RecordError("is empty", "title")
    return title


def _body(value: Any) -> str:
    body = _text(value, "text", most=MAX_TEXT_BYTES)
    if (size := len(body.encode())) > MAX_TEXT_BYTES:
        raise RecordError(f"is {size:,} bytes; at most 1 MiB is kept, so split it", "text")
    return body


def _tags(value: Any) -> tuple[str, ...]:
    tags = tuple(dict.fromkeys(" ".join(tag.split()) for tag in _list(value, "tags", most=MAX_TAGS, each=MAX_TAG)))
    if "" in tags:
        raise RecordError("one of them is empty", "tags")
    return tags


def _list(value: Any, field: str, *, most: int, each: int) -> list[str]:
    if not isinstance(value, list | tuple):
        raise RecordError(f"must be a list, not {type(value).__name__}", field)
    if len(value) > most:
        raise RecordError(f"has {len(value)} entries; at most {most} are kept", field)
    return [_text(entry, field, most=each) for entry in value]


def _url(value: Any) -> str:
    url = _text(value, "url", most=MAX_URL)
    if _URL.fullmatch(url) is None:
        raise RecordError(f"{_shown(url)} is no address; it must begin with https:// or http://", "url")
    return url


def _metadata(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise RecordError(f"must be a table of names and values, not {type(value).__name__}", "metadata")
    try:
        encoded = _json(value)
        plain = msgspec.json.decode(encoded, type=dict[str, Any])
    except (TypeError, ValueError, RecursionError, msgspec.MsgspecError) as error:
        raise RecordError(f"cannot be kept as JSON: {error}", "metadata") from None
    if len(encoded) > MAX_METADATA_BYTES:
        raise RecordError(f"is {len(encoded):,} bytes of JSON; at most 16 KiB are kept", "metadata")
    if b"\\u0000" in encoded:
        raise RecordError("holds U+0000, which is no text; remove it", "metadata")
    _check_nested(plain, 1)
    return plain


def _check_nested(value: Any, depth: int) -> None:
    """What JSON can say and an answer cannot: such a record would break every search that finds it."""
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 64:
        raise RecordError("holds a whole number of more than 64 bits; write it as text", "metadata")
    if not isinstance(value, dict | list):
        return
    if depth > MAX_METADATA_DEPTH:
        raise RecordError(f"is nested more than {MAX_METADATA_DEPTH} levels deep; flatten it", "metadata")
    if isinstance(value, dict) and (name := next((key for key in value if key.startswith("__")), None)) is not None:
        raise RecordError(f"{_shown(name)} begins with two underscores; give it another name", "metadata")
    for entry in value.values() if isinstance(value, dict) else value:
        _check_nested(entry, depth + 1)


def _sources(value: Any) -> tuple[str, ...]:
    return tuple(_list(value, "sources", most=MAX_SOURCES, each=MAX_URL))


def _shown(value: Any) -> str:
    text = ascii(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


_readers: dict[str, Callable[[Any], Any]] = {
    "id": _id,
    "type": _type,
    "namespace": _namespace,
    "title": _title,
    "text": _body,
    "tags": _tags,
    "url": _url,
    "source_type": lambda value: _word(value, "source_type", _SOURCE_TYPE),
    "last_updated": lambda value: instant(value, "last_updated"),
    "metadata": _metadata,
    "sources": _sources,
}
