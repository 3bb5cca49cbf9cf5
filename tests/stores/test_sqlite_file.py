"""Which files a store accepts, and that it changes no other."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.stores.backends import NUMBERS, run_python

from ambidex.stores import sqlite_file
from ambidex.stores.errors import StoreMismatch
from ambidex.stores.sqlite import SqliteStore
from ambidex.stores.sqlite_file import SCHEMA_VERSION

AS_NOBODY = """
import os, sys
from ambidex.stores import StoreMismatch, open_store

if os.geteuid() == 0:  # for whom nothing is read-only
    os.setuid(65534)
try:
    open_store("sqlite:" + sys.argv[1])
except StoreMismatch as refusal:
    print(refusal)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


def change(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.commit()
    connection.close()


def test_only_the_owner_may_read_it_and_its_log(path: Path) -> None:
    store = SqliteStore(path)
    store.run(lambda tx: tx.put(NUMBERS, "a", 1))
    modes = {file.name: oct(file.stat().st_mode & 0o777) for file in path.parent.iterdir()}
    store.close()
    assert modes == {"store.db": "0o600", "store.db-wal": "0o600", "store.db-shm": "0o600"}


def test_a_mode_that_somebody_chose_stays(path: Path) -> None:
    path.touch()
    path.chmod(0o640)
    SqliteStore(path).close()
    assert path.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("name", ["a b?c#d%20.db", "é𝔞.db"])
def test_a_name_may_be_anything(tmp_path: Path, name: str) -> None:
    SqliteStore(tmp_path / name).close()
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_a_link_to_a_file_that_is_not_there_yet_creates_it_where_it_points(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "real.db")
    SqliteStore(tmp_path / "link.db").close()
    assert (tmp_path / "real.db").stat().st_mode & 0o777 == 0o600


@pytest.mark.threat("K10")
@pytest.mark.parametrize(
    ("version", "advice"),
    [(SCHEMA_VERSION + 1, "a newer Ambidex has written it; upgrade"), (SCHEMA_VERSION - 1, "an older Ambidex")],
)
def test_a_store_of_another_version_is_refused_and_left_as_it_is(path: Path, version: int, advice: str) -> None:
    SqliteStore(path).close()
    change(path, f"PRAGMA user_version = {version}")
    before = path.read_bytes()
    with pytest.raises(StoreMismatch, match=advice) as refusal:
        SqliteStore(path)
    assert f"version {version}, this Ambidex uses version {SCHEMA_VERSION}" in str(refusal.value)
    assert path.read_bytes() == before


@pytest.mark.threat("K10")
def test_a_thread_that_joins_after_the_store_was_upgraded_is_refused(path: Path) -> None:
    store = SqliteStore(path)
    change(path, f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    with pytest.raises(StoreMismatch, match="a newer Ambidex"):
        store.run(lambda tx: tx.get(NUMBERS, "a"))
    store.close()


@pytest.mark.parametrize(
    "statement", ["CREATE TABLE theirs (a)", "PRAGMA user_version = 1", "PRAGMA application_id = 7"]
)
def test_the_database_of_another_program_is_refused_and_left_as_it_is(path: Path, statement: str) -> None:
    change(path, statement)
    before = path.read_bytes()
    with pytest.raises(StoreMismatch, match="of another program"):
        SqliteStore(path)
    assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(path: Path) -> None:
    path.write_text("[values]\n" * 1000)
    with pytest.raises(StoreMismatch, match="is not a SQLite database"):
        SqliteStore(path)
    assert path.read_text() == "[values]\n" * 1000


def test_a_folder_in_its_place_is_refused(path: Path) -> None:
    path.mkdir()
    with pytest.raises(StoreMismatch, match="is not a file"):
        SqliteStore(path)


def test_a_folder_that_does_not_exist_is_named_and_not_created(tmp_path: Path) -> None:
    with pytest.raises(StoreMismatch, match=r"the folder .*/missing of the store does not exist"):
        SqliteStore(tmp_path / "missing" / "store.db")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.threat("K07")
def test_a_network_file_system_is_refused_by_name(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_file, "filesystem_of", lambda folder: "nfs4")
    with pytest.raises(StoreMismatch, match=r"network file system \(nfs4\)"):
        SqliteStore(path)
    assert not path.exists()


@pytest.mark.threat("K07")
def test_a_database_that_cannot_keep_a_write_ahead_log_is_refused(path: Path) -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)  # SQLite's own example of one that cannot
    with pytest.raises(StoreMismatch, match=r"cannot keep a write-ahead log \(journal mode 'memory'\)"):
        sqlite_file._prepare(connection, path)
    connection.close()


def read_only_file(folder: Path) -> None:
    SqliteStore(folder / "store.db").close()
    (folder / "store.db").chmod(0o444)
    folder.chmod(0o777)


def read_only_folder(folder: Path) -> None:
    SqliteStore(folder / "store.db").close()
    (folder / "store.db").chmod(0o666)
    folder.chmod(0o555)


def empty_read_only_folder(folder: Path) -> None:
    folder.chmod(0o555)


@pytest.mark.threat("K07")
@pytest.mark.parametrize(
    ("prepare", "message"),
    [
        (read_only_file, "store.db must be readable and writable"),
        (read_only_folder, "must be writable: SQLite keeps its log beside store.db"),
        (empty_read_only_folder, "must be writable: SQLite keeps its log beside store.db"),
    ],
)
def test_a_place_that_is_read_only_is_refused_with_the_reason(prepare: Callable[[Path], None], message: str) -> None:
    with tempfile.TemporaryDirectory() as name:  # not tmp_path, which nobody else may enter
        prepare(Path(name))
        assert message in run_python(AS_NOBODY, os.path.join(name, "store.db"))
        Path(name).chmod(0o700)


def test_connecting_never_creates_a_file(path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError, match="unable to open"):
        sqlite_file.connect(path, 0)
    assert not path.exists()
