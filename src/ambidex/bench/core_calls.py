"""What a guarded call costs beside a bare one: batches of each take turns, in CPU time, so a busy moment hits all."""

from __future__ import annotations

import asyncio
import json
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from itertools import count
from typing import Any, TypeAlias

from ambidex.bench.core_folders import INLINE, SUSPENDING
from ambidex.bench.core_tool import BAD, RESULT, good, text_of
from ambidex.contracts.user import User
from ambidex.orchestrator import Orchestrator
from ambidex.session.session import Session

PER_TURN = 4
"""Calls of a session before its next turn: within every budget, so that nothing is refused."""

Call: TypeAlias = tuple[Session, bytes, str]
"""Who calls, the arguments, and the id."""

_numbers = count()


class Refused(Exception):
    """A call that was to be measured did not run: its figure would be that of a refusal."""


async def open_sessions(app: Orchestrator, number: int) -> list[Session]:
    return [await app.open(mode="text", user=User(f"u{place}")) for place in range(number)]


async def interleaved(sessions: Sequence[Session], rounds: int) -> dict[str, float]:
    """Microseconds of CPU for one call of each path, the median of all rounds."""
    paths: dict[str, Callable[[], Awaitable[float]]] = {
        "bareMicros": lambda: bare(len(sessions) * PER_TURN),
        "guardedMicros": lambda: guarded(sessions, INLINE),
        "suspendingMicros": lambda: guarded(sessions, SUSPENDING),
    }
    seconds: dict[str, list[float]] = {path: [] for path in paths}
    for measured in range(-1, rounds):
        for path, batch in paths.items():
            took = await batch()
            if measured >= 0:  # the round before the first compiles validators and fills caches
                seconds[path].append(took)
    return {path: statistics.median(took) * 1e6 for path, took in seconds.items()}


async def bare(number: int) -> float:
    """The floor: decode, await a handler, encode. No check of any kind."""
    texts = [text_of(good(next(_numbers))) for _ in range(number)]
    start = time.process_time()
    for text in texts:
        json.dumps(await _handler(json.loads(text)))
    return (time.process_time() - start) / number


async def _handler(args: dict[str, Any]) -> dict[str, Any]:
    return {"ok": True, "data": RESULT}


async def guarded(sessions: Sequence[Session], tool: str) -> float:
    """The same through every gate, one call after the other."""
    calls = await _fresh(sessions)
    start = time.process_time()
    answers = await _caller(calls, tool)
    took = time.process_time() - start
    _all_ran(answers)
    return took / len(calls)


async def at_once(sessions: Sequence[Session], tool: str = INLINE) -> float:
    """Calls for each second of CPU when every session calls at the same time."""
    calls = await _fresh(sessions)
    callers = [_caller(calls[place :: len(sessions)], tool) for place in range(len(sessions))]
    start = time.process_time()
    answers = await asyncio.gather(*callers)
    took = time.process_time() - start
    _all_ran([answer for answered in answers for answer in answered])
    return len(calls) / took


async def _caller(calls: Sequence[Call], tool: str) -> list[bytes]:
    return [await session.answer_json(tool, text, id=id) for session, text, id in calls]


async def refused_of_nine(session: Session) -> list[str]:
    """Which kinds of bad arguments do not run."""
    refused = []
    for kind, args in BAD.items():
        await session.begin_turn("a mistake")
        answer = json.loads(await session.answer_json(INLINE, text_of(args)))
        if not answer["ok"] and answer["error"]["type"] == "VALIDATION":
            refused.append(kind)
    return refused


async def _fresh(sessions: Sequence[Session]) -> list[Call]:
    """A new turn of every session, and calls for it that nobody made before."""
    for session in sessions:
        await session.begin_turn("measure")
    numbered = [(session, next(_numbers)) for _ in range(PER_TURN) for session in sessions]
    return [(session, text_of(good(number)), f"c{number}") for session, number in numbered]


def _all_ran(answers: Sequence[bytes]) -> None:
    for answer in answers:
        if not answer.startswith(b'{"ok":true'):
            raise Refused(answer.decode())
