from __future__ import annotations

import pytest

from ambidex.authoring.reading import decode_json, decode_text


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ('{"a": 1,}', "AX101", 1, 9),
        ('{\n  "a" 1}', "AX101", 2, 7),
        ('{"a": 1, "a": 2}', "AX102", 1, 10),
        ('{"a": NaN}', "AX101", 1, 7),
        ("", "AX101", 1, 1),
        ("[" * 100, "AX103", 1, 1),
        ('{"a":' * 100_000, "AX103", 1, 1),
    ],
)
def test_text_that_is_no_json_is_refused_at_its_place(text: str, code: str, line: int, column: int) -> None:
    value, [finding] = decode_json(text, "schema.json")
    assert value is None
    assert (finding.code, finding.line, finding.column) == (code, line, column)


def test_brackets_inside_strings_are_no_nesting() -> None:
    assert decode_json('"' + "[" * 500 + '"', "x")[1] == []


def test_bytes_that_are_no_utf8_are_refused_at_their_line() -> None:
    _, [finding] = decode_text(b"fine\n\xff", "guide.md")
    assert (finding.code, finding.line) == ("AX012", 2)


def test_a_byte_order_mark_is_refused() -> None:
    assert decode_text(b"\xef\xbb\xbf{}", "schema.json")[1][0].code == "AX012"
