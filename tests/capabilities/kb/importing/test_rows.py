"""JSONL and CSV: a record a row, and a bad row does not spoil its neighbours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ambidex.capabilities.kb.importing import csv_rows, jsonl
from ambidex.capabilities.kb.importing.entries import Entry
from ambidex.capabilities.kb.importing.reading import OpenFile
from ambidex.capabilities.kb.importing.told import Unfit

Reader = Callable[[OpenFile, str], Iterator[Entry]]


def rows(reader: Reader, data: bytes) -> list[tuple[int, Any]]:
    """Line and fields of each row; for a bad one, the reason."""
    found: list[tuple[int, Any]] = []
    for entry in reader(OpenFile(BytesIO(data), len(data), ""), ""):
        try:
            found.append((entry.line, dict(entry.fields().values)))
        except Unfit as unfit:
            found.append((unfit.line or entry.line, unfit.why))
    return found


def test_jsonl_has_one_record_a_line_and_empty_lines_say_nothing() -> None:
    assert rows(jsonl.entries, b'{"id": "a"}\n\n  \r\n{"id": "b"}') == [(1, {"id": "a"}), (4, {"id": "b"})]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b'{"id": ', "is not JSON"),
        (b"[1]", "is a JSON list"),
        (b'{"id": "\xff"}', "not UTF-8"),
        (b"[" * 200_000, "is not JSON"),
        (b'{"id": NaN}', "is not JSON"),
    ],
)
def test_a_bad_line_of_jsonl_is_told_and_the_next_one_read(line: bytes, why: str) -> None:
    bad, good = rows(jsonl.entries, line + b'\n{"id": "b"}\n')
    assert bad[0] == 1
    assert why in bad[1]
    assert good == (2, {"id": "b"})


def test_a_line_of_ten_megabytes_is_told_and_the_next_one_read() -> None:
    long = b'{"text": "' + b"x" * (10 << 20) + b'"}'
    bad, good = rows(jsonl.entries, long + b'\n{"id": "b"}\n')
    assert bad == (1, f"is {len(long) + 1:,} bytes long; a record has at most 4,194,304: split it")
    assert good == (2, {"id": "b"})


def test_csv_has_lists_in_cells_metadata_in_columns_and_empty_cells_say_nothing() -> None:
    data = b'id,title,tags,url,metadata.client\ndoc:a,"One, two","x; y;",,Acme\ndoc:b,B,,https://b.example,\n'
    assert rows(csv_rows.entries, data) == [
        (2, {"id": "doc:a", "title": "One, two", "tags": ["x", "y"], "metadata": {"client": "Acme"}}),
        (3, {"id": "doc:b", "title": "B", "url": "https://b.example"}),
    ]


def test_a_cell_may_hold_lines_and_the_row_has_the_first() -> None:
    assert [line for line, _ in rows(csv_rows.entries, b'id,text\na,"1\n2\n3"\nb,x\n')] == [2, 5]


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (b"a", "has 1 cells under 2 columns"),
        (b"a,{b,c", "has 3 cells under 2 columns"),
        (b"a,\xff", "not UTF-8"),
        (b"a,[1]", "must be a JSON object"),
    ],
)
def test_a_bad_row_of_csv_is_told_and_the_next_one_read(row: bytes, why: str) -> None:
    bad, good = rows(csv_rows.entries, b"id,metadata\n" + row + b"\nb,\n")
    assert bad[0] == 2
    assert why in bad[1]
    assert good == (3, {"id": "b"})


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "is empty"),
        (b"id;title\na;b\n", "semicolons"),
        (b"id,colour\na,b\n", "has a column 'colour'"),
        (b"id,id\na,b\n", "two columns id"),
        (b'id,title\na,"open\n', "check the quotes"),
    ],
)
def test_a_csv_file_that_cannot_be_read_as_one_is_told(data: bytes, why: str) -> None:
    with pytest.raises(Unfit, match=why):
        rows(csv_rows.entries, data)


@settings(max_examples=100)
@given(st.binary(max_size=80), st.sampled_from([jsonl.entries, csv_rows.entries]))
def test_any_bytes_are_rows_or_refusals(data: bytes, reader: Reader) -> None:
    try:
        found = rows(reader, data if reader is jsonl.entries else b"id,title\n" + data)
    except Unfit as unfit:
        found = [(unfit.line or 0, unfit.why)]
    assert all(line > 0 for line, _ in found)
