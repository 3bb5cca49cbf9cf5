"""Every row that is due has a test, and every mark names a row."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.requirements import AREAS, LATER, OWED, PARTLY, shown_by

SHOWN = shown_by()


@pytest.mark.parametrize("row", [row for row in OWED if row not in LATER])
def test_a_row_that_is_due_has_a_test(row: str) -> None:
    assert SHOWN.get(row), f'{OWED[row]} Mark the test that shows it with @pytest.mark.threat("{row}")'


def test_every_mark_names_a_row() -> None:
    assert set(SHOWN) - set(OWED) == set()


def test_every_row_belongs_to_an_area_and_numbers_have_no_gap() -> None:
    for letter in AREAS:
        numbers = [int(row[1:]) for row in OWED if row[0] == letter]
        assert numbers == list(range(1, len(numbers) + 1)), letter
    assert {row[0] for row in OWED} == set(AREAS)
    assert set(LATER) | set(PARTLY) <= set(OWED)
    assert not set(LATER) & set(PARTLY)


SAMPLE = """
import pytest
pytestmark = [pytest.mark.slow, pytest.mark.threat("A01")]

@pytest.mark.threat("A02", "A03")
@pytest.mark.parametrize("case", [1, pytest.param(2, marks=pytest.mark.threat("A04"))])
async def test_one(case): ...

def helper(): ...

@pytest.mark.threat("A05")
class TestMany:
    def test_two(self): ...
"""


def test_marks_are_found_wherever_pytest_finds_them(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_sample.py").write_text(SAMPLE)
    one, two = "tests/test_sample.py::test_one", "tests/test_sample.py::test_two"
    assert shown_by(tmp_path / "tests") == {
        "A01": [one, two],
        "A02": [one],
        "A03": [one],
        "A04": [one],
        "A05": [two],
    }
