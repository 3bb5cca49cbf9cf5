"""Problems as a terminal shows them."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console

from ambidex.cli.problems import drawn, source_line, tally
from ambidex.contracts.problem import Problem, Severity


def problem(line: int, column: int, severity: Severity = Severity.ERROR) -> Problem:
    return Problem("AX1", severity, "tools/a/schema.json", line, column, "is [bold]wrong[/bold]", "mend it")


def on_screen(found: Problem, root: Path) -> list[str]:
    stream = io.StringIO()
    Console(file=stream, width=200).print(drawn(found, root), soft_wrap=True)
    return stream.getvalue().splitlines()


def test_a_caret_stands_under_the_column(tmp_path: Path) -> None:
    (tmp_path / "tools" / "a").mkdir(parents=True)
    (tmp_path / "tools" / "a" / "schema.json").write_text('{\n\t"x": 1\n}\n')
    head, source, caret = on_screen(problem(2, 2), tmp_path)
    assert head == "tools/a/schema.json:2:2 AX1 error is [bold]wrong[/bold]; mend it"
    assert source.index('"x"') == caret.index("^")


def test_without_a_source_line_there_is_no_caret(tmp_path: Path) -> None:
    assert len(on_screen(problem(2, 2), tmp_path)) == 1


def test_a_line_that_is_not_there_is_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"one\n\n\xff\n")
    assert source_line(path, 1) is None, "the file is not text"
    path.write_text("one\n\n")
    assert [source_line(path, number) for number in (0, 1, 2, 3)] == [None, "one", None, None]


def test_the_tally_counts_errors_and_warnings() -> None:
    assert tally([]) == "no problems"
    assert tally([problem(1, 1), problem(1, 1, Severity.WARNING), problem(1, 1)]) == "2 errors, 1 warning"
