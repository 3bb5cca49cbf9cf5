"""Which failures of SQLite are worth another try, which refuse, and which are bugs."""

from __future__ import annotations

import sqlite3

import pytest

from ambidex.stores.errors import StoreMismatch, StoreUnavailable
from ambidex.stores.sqlite_faults import patiently, translated


def failure(code: int) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("as SQLite says it")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (sqlite3.SQLITE_BUSY, StoreUnavailable),
        (sqlite3.SQLITE_BUSY_RECOVERY, StoreUnavailable),
        (sqlite3.SQLITE_FULL, StoreUnavailable),
        (sqlite3.SQLITE_IOERR_FSYNC, StoreUnavailable),
        (sqlite3.SQLITE_READONLY, StoreUnavailable),
        (sqlite3.SQLITE_NOTADB, StoreMismatch),
        (sqlite3.SQLITE_CORRUPT, StoreMismatch),
        (sqlite3.SQLITE_ERROR, sqlite3.OperationalError),
    ],
)
def test_a_failure_is_told_by_its_code_and_names_the_store(code: int, kind: type[Exception]) -> None:
    with pytest.raises(kind) as raised, translated("sqlite:a.db"):
        raise failure(code)
    assert "as SQLite says it" in str(raised.value)
    assert ("sqlite:a.db" in str(raised.value)) == (kind is not sqlite3.OperationalError)


def test_an_error_without_a_code_stays_as_it_is() -> None:
    with pytest.raises(sqlite3.ProgrammingError), translated("sqlite:a.db"):
        raise sqlite3.ProgrammingError("misuse")


def test_a_lock_that_is_given_back_in_time_is_waited_for() -> None:
    outcomes: list[Exception | str] = [failure(sqlite3.SQLITE_BUSY), failure(sqlite3.SQLITE_LOCKED), "mine"]
    assert patiently(lambda: told(outcomes.pop(0)), 60) == "mine"


@pytest.mark.parametrize(("code", "seconds"), [(sqlite3.SQLITE_BUSY, 0), (sqlite3.SQLITE_FULL, 60)])
def test_patience_ends_with_its_time_and_at_any_other_failure(code: int, seconds: float) -> None:
    outcomes: list[Exception | str] = [failure(code), "too late"]
    with pytest.raises(sqlite3.OperationalError):
        patiently(lambda: told(outcomes.pop(0)), seconds)
    assert outcomes == ["too late"]


def told(outcome: Exception | str) -> str:
    if isinstance(outcome, Exception):
        raise outcome
    return outcome
