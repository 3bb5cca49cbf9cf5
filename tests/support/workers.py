"""Worker processes for tests: real ones, that attach to a session, are paused, and are killed.

A worker reads one order a line and answers with one line of JSON; run as a script, this file is that worker.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import ambidex
from ambidex import Orchestrator, ToolCall, ToolResponse, User
from ambidex.policy.decide import Worker as Lease
from ambidex.session.session import Session
from ambidex.stores.base import Tx
from ambidex.stores.clock import Moment, SystemClock
from ambidex.stores.sqlite import SqliteStore

T = TypeVar("T")
ROOT = Path(__file__).parents[2]
PATHS = os.pathsep.join([*filter(None, [os.environ.get("PYTHONPATH")]), str(ROOT)])
"""Where a worker finds what its test has."""
DIE = "AMBIDEX_TEST_DIE"
"""Where a worker kills itself: `1:before`, `1:inside`, `1:after` of its first operation on the store, and so on; any
other word is for handlers to understand."""


class Later(SystemClock):
    """The machine's clocks, so many seconds ahead: leases have lapsed, and nobody had to wait for it."""

    __slots__ = ("_ahead",)

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._ahead = round(seconds * 1000)

    def moment(self) -> Moment:
        now = super().moment()
        return Moment(now.wall + self._ahead, now.mono + self._ahead, now.boot)


class MortalStore(SqliteStore):
    """Kills its process, as `kill -9` would, at one point of one operation."""

    number = 0
    armed = ""

    def run(self, operation: Callable[[Tx], T], *, lasting: bool = True) -> T:
        if not self.armed:
            return super().run(operation, lasting=lasting)
        self.number += 1
        self._reached("before")
        found = super().run(lambda tx: self._inside(operation(tx)), lasting=lasting)
        self._reached("after")
        return found

    def _inside(self, found: T) -> T:
        self._reached("inside")
        return found

    def _reached(self, point: str) -> None:
        if self.armed == f"{self.number}:{point}":
            os.kill(os.getpid(), signal.SIGKILL)


class WorkerProcess:
    """The other end of a worker."""

    def __init__(self, artifact: Path, store: Path, session: Session, *, grace_ms: int = 2_000, die: str = "") -> None:
        order = {"artifact": str(artifact), "store": str(store), "session": session.id, "graceMs": grace_ms}
        self._process = subprocess.Popen(
            [sys.executable, __file__, json.dumps({**order, "user": session.user.id})],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, DIE: die, "PYTHONPATH": PATHS},
        )

    def tell(self, **order: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()

    def hear(self) -> Any:
        """What it answered; None when it died."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        return json.loads(line) if line else None

    def ask(self, **order: Any) -> Any:
        self.tell(**order)
        return self.hear()

    def pause(self) -> None:
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self._process.send_signal(signal.SIGCONT)

    def wait(self) -> int:
        return self._process.wait(timeout=30)

    def end(self) -> None:
        self._process.kill()
        self._process.communicate()


@contextmanager
def workers(count: int, artifact: Path, store: Path, session: Session, **options: Any) -> Iterator[list[WorkerProcess]]:
    """So many of them, each attached and ready."""
    started = [WorkerProcess(artifact, store, session, **options) for _ in range(count)]
    try:
        for worker in started:
            assert worker.hear() == "ready"
        yield started
    finally:
        for worker in started:
            worker.end()


def short_leases(app: Orchestrator, grace_ms: int) -> None:
    """Count this process as dead sooner than one would in earnest."""
    app._shared.worker = Lease(app._shared.worker.name, grace_ms)


# The worker's side


async def _serve(settings: dict[str, Any]) -> None:
    store = MortalStore(settings["store"], busy_seconds=20)
    async with Orchestrator(ambidex.load(settings["artifact"]), store=store, config={}) as app:
        short_leases(app, settings["graceMs"])
        app._shared.store_seconds = 20
        session = await app.attach(settings["session"], user=User(settings["user"]))
        print(json.dumps("ready"), flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            store.armed = os.environ.get(DIE, "")
            print(json.dumps(await _obey(session, json.loads(line))), flush=True)


async def _obey(session: Session, order: dict[str, Any]) -> list[dict[str, Any]]:
    match order:
        case {"approve": token, "times": times}:
            answers = await asyncio.gather(*(session.approve(token) for _ in range(times)))
        case {"reject": token}:
            answers = [await session.reject(token)]
        case {"call": name, "args": args, "id": id, "times": times}:
            call = ToolCall(name=name, args=args, id=id)
            found = await asyncio.gather(*(session.answer([call]) for _ in range(times)))
            answers = [answer for [answer] in found]
        case _:
            raise ValueError(f"no such order: {order}")
    return [_told(answer) for answer in answers]


def _told(answer: ToolResponse) -> dict[str, Any]:
    error = answer.error
    return {"ok": answer.ok, "data": answer.data, "error": error and error.type, "retryable": error and error.retryable}


if __name__ == "__main__":
    asyncio.run(_serve(json.loads(sys.argv[1])))
