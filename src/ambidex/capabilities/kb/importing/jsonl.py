"""A JSONL file: one JSON object a line, one record each. Read line by line, so its size does not matter."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import BinaryIO

import msgspec

from ambidex.capabilities.kb.importing.entries import Entry, Fields
from ambidex.capabilities.kb.importing.reading import OpenFile, text_of
from ambidex.capabilities.kb.importing.told import Unfit

MAX_LINE_BYTES = 4 << 20


def entries(file: OpenFile, _: str) -> Iterator[Entry]:
    number = 0
    while line := file.stream.readline(MAX_LINE_BYTES):
        number += 1
        if not line.endswith(b"\n") and len(line) == MAX_LINE_BYTES:
            size = len(line) + _rest_of_line(file.stream)
            yield Entry(number, b"", partial(_too_long, number, size))
        elif line.strip():
            yield Entry(number, line.strip(), partial(_fields, line.strip(), number))


def _fields(line: bytes, number: int) -> Fields:
    text = text_of(line, first_line=number)
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise Unfit(f"is not JSON: {error}; one object stands on one line", number) from None
    if not isinstance(value, dict):
        raise Unfit(f'is a JSON {type(value).__name__}, not an object; write {{"id": …, "title": …}}', number)
    return Fields(value)


def _rest_of_line(stream: BinaryIO) -> int:
    length = 0
    while part := stream.readline(MAX_LINE_BYTES):
        length += len(part)
        if part.endswith(b"\n"):
            break
    return length


def _too_long(number: int, size: int) -> Fields:
    raise Unfit(f"is {size:,} bytes long; a record has at most {MAX_LINE_BYTES:,}: split it", number)
