from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from ambidex.bench.kb import parse_sizes
from ambidex.bench.kb_records import made_up
from ambidex.cli.bench import command


def test_a_small_run_tells_every_figure_and_which_vectors_it_used() -> None:
    ran = CliRunner().invoke(command, ["kb", "--sizes", "300", "--queries", "5", "--json"])
    assert ran.exit_code == 0, ran.output
    [row] = json.loads(ran.stdout)["rows"]
    assert row["records"] == 300
    assert "@" in row["vectors"]
    for name in ("filteredP99Millis", "unfilteredP50Millis", "plainP99Millis", "importPerSecond", "openSeconds"):
        assert row[name] > 0


def test_sizes_are_read_as_people_write_them() -> None:
    assert parse_sizes("10k, 100K,1M,7") == (10_000, 100_000, 1_000_000, 7)
    with pytest.raises(ValueError):
        parse_sizes("many")
    with pytest.raises(ValueError):
        parse_sizes("0k")


def test_records_are_the_same_every_time() -> None:
    assert made_up(5) == made_up(5)
    assert len({made_up(number).id for number in range(200)}) == 200
