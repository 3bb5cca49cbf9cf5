"""The programs in docs/stores.md run as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.stores.backends import run_python

PAGE = Path(__file__).parents[2] / "docs" / "stores.md"
PROGRAMS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)


def test_the_page_has_programs() -> None:
    assert len(PROGRAMS) == 2


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_of_the_page_runs(program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_python(program)
    assert (tmp_path / "ambidex.db").exists()
