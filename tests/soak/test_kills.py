"""`kill -9` at random moments, again and again: nothing happens twice, and nothing is left without an end."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest
from tests.soak import caller
from tests.support.apps import Workshop, running
from tests.support.soak import soak
from tests.support.workers import PATHS, Later

from ambidex import Registry
from ambidex.audit.chain import LINES
from ambidex.ledger.rows import CallRow, CallState
from ambidex.ledger.spaces import CALLS, OPEN
from ambidex.stores.sqlite import SqliteStore

HANDLER = """\
import asyncio
from pathlib import Path
from random import uniform
from ambidex import ok

FAR_SIDE = Path({path!r})

async def execute(args, context):
    await asyncio.sleep(uniform(0, 0.002))
    with (FAR_SIDE / "requests").open("a") as requests:
        requests.write(args["name"] + "\\n")
    if {dedupes}:
        (FAR_SIDE / "effects" / context.idempotency_key).touch()
    await asyncio.sleep(uniform(0, 0.002))
    return ok({{"done": args["name"]}})
"""


@dataclass
class Aftermath:
    """What is found once all are dead and everything was recovered."""

    rows: dict[str, list[CallRow]] = field(default_factory=dict)
    still_open: int = 0
    started: Counter[str] = field(default_factory=Counter)
    final: Counter[str] = field(default_factory=Counter)


def _workshop(folder: Path) -> Workshop:
    shop = Workshop(folder)
    for name in caller.TOOLS:
        (folder / name / "effects").mkdir(parents=True)
        handler = HANDLER.format(path=str(folder / name), dedupes=name != "none")
        shop.writing(name, handler=handler, downstream=name, timeoutMs=300)
    return shop


def _kill_at_random(shop: Workshop, store: Path, kills: int, luck: Random, calls_each: int) -> None:
    order = json.dumps({"artifact": str(shop.artifact), "store": str(store)})
    nurseries = [
        subprocess.Popen(
            [sys.executable, caller.__file__, order],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "PYTHONPATH": PATHS},
        )
        for _ in range(2)
    ]
    try:
        for number in range(0, kills, len(nurseries)):
            _one_round(nurseries, shop, luck, calls_each)
            if number % 100 == 0:
                print(
                    f"  {number} kills, {sum(len(_requests(shop, name)) for name in caller.TOOLS)} requests", flush=True
                )
    finally:
        for nursery in nurseries:
            nursery.kill()
            nursery.communicate()


def _one_round(nurseries: list[subprocess.Popen[str]], shop: Workshop, luck: Random, calls_each: int) -> None:
    """Two callers at the same time; each dies after it made about so many calls, at whatever it does just then."""
    pids = [_born(nursery) for nursery in nurseries]
    before = _size(shop)
    while _size(shop) - before < calls_each * len(pids):
        _pause(luck.uniform(0.001, 0.01))
    for pid, nursery in zip(pids, nurseries, strict=True):
        _pause(luck.uniform(0, 0.02))
        os.kill(pid, signal.SIGKILL)
        assert nursery.stdout is not None
        assert nursery.stdout.readline() == "dead\n"


def _born(nursery: subprocess.Popen[str]) -> int:
    assert nursery.stdin is not None
    assert nursery.stdout is not None
    nursery.stdin.write("\n")
    nursery.stdin.flush()
    return int(nursery.stdout.readline())


def _pause(seconds: float) -> None:
    time.sleep(seconds)  # a kill is meant to come at any moment; nothing is asserted about when


def _size(shop: Workshop) -> int:
    """Requests so far, by the size of the files: their lines are about equally long."""
    files = (shop.root / name / "requests" for name in caller.TOOLS)
    return sum(path.stat().st_size // 28 for path in files if path.exists())


def _requests(shop: Workshop, name: str) -> list[str]:
    path = shop.root / name / "requests"
    return path.read_text().splitlines() if path.exists() else []


async def _recover(registry: Registry, store: Path) -> None:
    async with running(registry, store=f"sqlite:{store}", clock=Later(60)) as app:
        while await app.recover():
            pass


def _look(store: Path) -> Aftermath:
    found = Aftermath()
    file = SqliteStore(store)
    for _, row in file.run(lambda tx: tx.scan(CALLS)):
        found.rows.setdefault(row.tool, []).append(row)
    found.still_open = len(file.run(lambda tx: tx.scan(OPEN)))
    for _, line in file.run(lambda tx: tx.scan(LINES)):
        event = json.loads(line)
        if event["event"] in ("call_started", "call_finished"):
            place = f"{event['conversation']} {event['key']}"
            (found.started if event["event"] == "call_started" else found.final)[place] += 1
    file.close()
    return found


@pytest.mark.threat("K02", "K03", "K08")
def test_killed_workers_leave_no_duplicate_and_no_open_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shop, store, luck = _workshop(tmp_path), tmp_path / "a.db", Random(11)
    registry, kills = shop.build(), soak(50, 1000)
    SqliteStore(store).close()
    with capsys.disabled():
        print(f"\nkills: {kills} to come")
        _kill_at_random(shop, store, kills, luck, calls_each=20)
    asyncio.run(_recover(registry, store))
    found = _look(store)

    assert found.still_open == 0
    assert found.started == found.final, "every claimed key has exactly one final record"
    _nothing_in_doubt_was_repeated(shop, found)
    for name, rows in found.rows.items():
        _what_was_let_go_never_happened(shop, name, rows)
    for name in ("key", "natural"):
        done = [row for row in found.rows[name] if row.state is CallState.DONE]
        assert not any(row.state is CallState.UNKNOWN for row in found.rows[name]), "a repeat settles every doubt"
        assert len(list((shop.root / name / "effects").iterdir())) == len(done)
    with capsys.disabled():
        doubtful = sum(row.state is CallState.UNKNOWN for row in found.rows["none"])
        again = sum(row.attempt > 1 for rows in found.rows.values() for row in rows)
        calls = sum(map(len, found.rows.values()))
        print(f"kills: {kills} over {calls} calls; {doubtful} unknown, {again} run again; 0 duplicates, 0 open ends")
        assert doubtful + again > kills // 10, "the kills missed: hardly any call was under way"


def _what_was_let_go_never_happened(shop: Workshop, name: str, rows: list[CallRow]) -> None:
    """A busy store may take too long to claim: such a call is refused, and its key is free."""
    requests = set(_requests(shop, name))
    free = [row for row in rows if row.state is CallState.RELEASED]
    assert not requests & {f"{row.session} {row.call_id.removeprefix('c')}" for row in free}
    assert len(free) < len(rows) / 10


def _nothing_in_doubt_was_repeated(shop: Workshop, found: Aftermath) -> None:
    """Without help from the far side a call runs once, and what may have happened is not called done."""
    requests = Counter(_requests(shop, "none"))
    assert set(requests.values()) == {1}
    assert all(row.attempt == 1 for row in found.rows["none"])
    done = {json.loads(row.args)["name"] for row in found.rows["none"] if row.state is CallState.DONE}
    assert done <= set(requests)
