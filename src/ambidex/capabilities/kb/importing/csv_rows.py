"""A CSV file: the header row names fields, each further row is one record. Empty cells say nothing."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import msgspec

from ambidex.capabilities.kb.importing.entries import Entry, Fields
from ambidex.capabilities.kb.importing.reading import OpenFile
from ambidex.capabilities.kb.importing.told import Unfit
from ambidex.capabilities.kb.record import Record

LISTS = ("tags", "sources")
"""Several values in one cell, separated by semicolons."""
_METADATA = "metadata."
"""A column `metadata.client` is the entry `client` of the metadata."""
_MAX_FIELD = 64 << 20
"""Beyond the limit of any field, so that one that is too long is told as such and the rows behind it are read."""


def entries(file: OpenFile, _: str) -> Iterator[Entry]:
    rows = _rows(file.stream)
    header = next(rows, (1, list[str]()))[1]
    _check_header(header)
    for line, row in rows:
        if any(row):
            data = "\x1f".join((*header, *row)).encode(errors="surrogateescape")
            yield Entry(line, data, partial(_fields, header, row, line))


def _rows(lines: Iterable[bytes]) -> Iterator[tuple[int, list[str]]]:
    """Each row and its first line. Bytes that are no UTF-8 become surrogates, which `_fields` tells row by row."""
    csv.field_size_limit(_MAX_FIELD)
    reader = csv.reader((line.decode(errors="surrogateescape") for line in lines), strict=True)
    line = 1
    try:
        for row in reader:
            yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        raise Unfit(f"is not CSV: {error}; nothing from here on was read: check the quotes", line) from None


def _check_header(header: list[str]) -> None:
    if not header:
        raise Unfit("is empty; the first row names the fields: id,title,text,…", 1)
    if len(header) == 1 and ";" in header[0]:
        raise Unfit("has columns separated by semicolons; separate them by commas", 1)
    known = Record.__struct_fields__
    for name in header:
        if name not in known and not name.startswith(_METADATA):
            raise Unfit(f"has a column {name!a}; name it metadata.…, or one of {', '.join(known)}", 1)
        if header.count(name) > 1:
            raise Unfit(f"has two columns {name}; remove one", 1)


def _fields(header: list[str], row: list[str], line: int) -> Fields:
    if len(row) != len(header):
        raise Unfit(f"has {len(row)} cells under {len(header)} columns; quote cells that hold commas", line)
    if any(0xD800 <= ord(character) < 0xE000 for cell in row for character in cell):
        raise Unfit("is not UTF-8; save the file as UTF-8", line)
    values: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for name, cell in zip(header, row, strict=True):
        if not cell.strip():
            continue
        if name.startswith(_METADATA):
            extra[name.removeprefix(_METADATA)] = cell
        else:
            values[name] = _value(name, cell, line)
    if extra:
        values["metadata"] = {**values.get("metadata", {}), **extra}
    return Fields(values)


def _value(name: str, cell: str, line: int) -> Any:
    if name in LISTS:
        return [part.strip() for part in cell.split(";") if part.strip()]
    if name != "metadata":
        return cell
    try:
        return msgspec.json.decode(cell, type=dict[str, Any])
    except (msgspec.MsgspecError, RecursionError):
        raise Unfit('metadata must be a JSON object; write {"name": …} or use columns metadata.name', line) from None
