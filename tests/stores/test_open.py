"""A URL names a store, or the message names what could be written instead."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.stores.backends import HandClock

from ambidex.errors import ConfigError
from ambidex.stores.memory import MemoryStore
from ambidex.stores.open import open_store
from ambidex.stores.sqlite import SqliteStore


def test_memory_is_a_store_in_memory_with_the_clock_that_was_given() -> None:
    clock = HandClock()
    store = open_store("memory:", clock=clock)
    assert isinstance(store, MemoryStore)
    assert store.clock is clock


def test_sqlite_is_a_store_in_the_file_that_was_named(tmp_path: Path) -> None:
    clock = HandClock()
    store = open_store(f"sqlite:{tmp_path}/a.db", clock=clock)
    assert isinstance(store, SqliteStore)
    assert (store.url, store.durable, store.clock) == (f"sqlite:{tmp_path}/a.db", True, clock)
    assert (tmp_path / "a.db").exists()
    store.close()


def test_a_relative_path_stays_the_same_file_when_the_folder_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = open_store("sqlite:a.db")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    store.run(lambda tx: None)
    store.close()
    assert not (tmp_path / "elsewhere" / "a.db").exists()


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("postgresql://u:secret@host/db", "postgresql is not supported yet"),
        ("redis://:secret@host", "redis is not supported yet"),
        ("mongodb://u:secret@host", "'mongodb' is no kind of store"),
        ("", "'' is no kind of store"),
        ("memory", "'memory' is no kind of store"),
        ("ambidex.db", '"memory:" and "sqlite:PATH"'),
        ("sqlite:", "names no file"),
        ("sqlite:a\0b", "names no file"),
        ("sqlite:///var/a.db", "without //"),
        ("sqlite::memory:", '"memory:"'),
    ],
)
def test_another_url_is_refused_with_what_to_write_and_without_its_password(url: str, message: str) -> None:
    with pytest.raises(ConfigError, match=r"^store: ") as refusal:
        open_store(url)
    assert message in str(refusal.value)
    assert "secret" not in str(refusal.value)
