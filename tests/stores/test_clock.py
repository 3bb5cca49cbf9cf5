"""Durations that a changed wall clock cannot fool, and dates for people."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.stores.backends import run_python

from ambidex.stores.clock import Moment, SystemClock, elapsed_ms, rfc3339

HOUR = 3_600_000
START = Moment(1_700_000_000_000, 5_000, "boot 1")
WALLS = st.integers(0, 253_402_300_799_999)


@pytest.mark.threat("K05")
@pytest.mark.parametrize("jump", [-HOUR, 0, HOUR])
def test_a_jump_of_the_wall_clock_changes_no_duration(jump: int) -> None:
    later = Moment(START.wall + 250 + jump, START.mono + 250, START.boot)
    assert elapsed_ms(START, later) == 250


def test_after_a_restart_of_the_machine_the_wall_clock_counts() -> None:
    assert elapsed_ms(START, Moment(START.wall + 90_000, 10, "boot 2")) == 90_000


@given(WALLS, WALLS, st.integers(0), st.integers(0), st.booleans())
def test_no_duration_is_negative(wall: int, wall2: int, mono: int, mono2: int, same_boot: bool) -> None:
    assert elapsed_ms(Moment(wall, mono, "1"), Moment(wall2, mono2, "1" if same_boot else "2")) >= 0


@given(WALLS)
def test_a_date_reads_back_as_the_same_millisecond(wall: int) -> None:
    text = rfc3339(Moment(wall, 0, ""))
    assert len(text) == len("2026-03-02T09:00:00.000Z")
    assert text.endswith("Z")
    assert datetime.fromisoformat(text) == datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=wall)


def test_the_systems_moments_never_go_back_and_name_the_same_boot() -> None:
    clock = SystemClock()
    first, second = clock.moment(), SystemClock().moment()
    assert first.boot == second.boot
    assert first.mono <= second.mono
    assert abs(datetime.now(UTC).timestamp() * 1000 - first.wall) < HOUR


def test_two_processes_of_one_boot_share_the_monotonic_clock() -> None:
    before = SystemClock().moment()
    program = "import msgspec, ambidex.stores as s; print(msgspec.json.encode(s.SystemClock().moment()).decode())"
    other = msgspec.json.decode(run_python(program), type=Moment)
    after = SystemClock().moment()
    if other.boot != before.boot:
        pytest.skip("this system has no boot id")
    assert before.mono <= other.mono <= after.mono
