"""`ambidex blocks`: listing and lifting, in the store that everything else is in."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from ambidex.audit.chain import recorder
from ambidex.cli.blocks import drawn
from ambidex.contracts.user import User
from ambidex.session.blocking import StoreBlocks
from ambidex.stores.open import open_store
from ambidex.stores.runner import StoreRunner

Run = Callable[..., Result]


@pytest.fixture
async def two_blocked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ann for an hour, Bob for a minute, and somebody of another tenant."""
    monkeypatch.chdir(tmp_path)
    runner = StoreRunner(open_store("sqlite:ambidex.db"))
    blocks = StoreBlocks(runner, recorder(runner.store))
    await blocks.add(User("ann"), 3600, incident="a")
    await blocks.add(User("bob"), 60, incident="b")
    await blocks.add(User("cy", tenant="acme"), 60, incident="c")
    await runner.close()


@pytest.mark.usefixtures("two_blocked")
def test_the_earliest_end_stands_first(run: Run) -> None:
    result = run("blocks", "list")
    head, *rows = result.stdout.splitlines()
    assert head.split() == ["user", "tenant", "until"]
    assert [row.split()[0] for row in rows] == ["bob", "ann"]
    assert result.stderr == "2 users blocked\n"
    assert "cy" in run("blocks", "list", "--tenant", "acme").stdout


@pytest.mark.usefixtures("two_blocked")
def test_json_has_every_block(run: Run) -> None:
    listed = json.loads(run("blocks", "list", "--json").stdout)
    assert listed["ok"] is True
    assert [block["user"] for block in listed["blocks"]] == ["bob", "ann"]
    assert listed["blocks"][0]["until"].endswith("Z")


@pytest.mark.usefixtures("two_blocked")
def test_a_lifted_block_is_gone_and_recorded(run: Run) -> None:
    assert run("blocks", "lift", "ann").stdout == "ann is listened to again\n"
    assert "ann" not in run("blocks", "list").stdout
    lines = [json.loads(line) for line in run("audit", "tail", "--json").stdout.splitlines()]
    assert (lines[-1]["event"], lines[-1]["user"]) == ("block_lifted", "ann")


@pytest.mark.usefixtures("two_blocked")
def test_lifting_a_block_that_is_not_there_fails_and_says_where_to_look(run: Run) -> None:
    told = run("blocks", "lift", "cy", code=1).stderr
    assert "cy is not blocked in the tenant default" in told
    assert "--tenant" in told
    assert json.loads(run("blocks", "lift", "cy", "--json", code=1).stdout)["lifted"] is False
    assert json.loads(run("blocks", "lift", "cy", "--tenant", "acme", "--json").stdout)["lifted"] is True


def test_looking_makes_no_store(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("blocks", "list").stderr == "nobody is blocked\n"
    run("blocks", "lift", "ann", code=1)
    assert not list(tmp_path.iterdir())


def test_a_terminal_gets_a_table() -> None:
    table = drawn([("ann", "default", "2026-01-01T00:00:00Z")])
    assert (table.row_count, len(table.columns)) == (1, 3)
