"""What every peer is measured by: the same tool, the same floor, the same nine mistakes. Standard library alone.

A peer's script gives `measure` its own public path as a coroutine from JSON text to an answer. A call counts as
refused when the handler did not run, whatever the peer said about it.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import Any

ROUNDS, BATCH = int(os.environ.get("PEERS_ROUNDS", "15")), int(os.environ.get("PEERS_BATCH", "100"))


def _tool() -> Any:
    """The file that `ambidex bench core` takes its tool from; this environment has no Ambidex."""
    path = Path(__file__).parents[2] / "src" / "ambidex" / "bench" / "core_tool.py"
    spec = importlib.util.spec_from_file_location("core_tool", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TOOL = _tool()
_numbers = count()


class Runs:
    """How often the handler ran."""

    number = 0


async def handler() -> dict[str, Any]:
    """What the tool does, in every peer."""
    Runs.number += 1
    return TOOL.RESULT


Call = Callable[[bytes], Awaitable[object]]
Approved = Callable[[], Awaitable[dict[str, int]]]
"""How the approval was kept -> how often the tool ran when it was used three times."""


def measure(package: str, path: str, call: Call, **more: Any) -> None:
    """Print one JSON document: cost, refusals, and how often three uses of one approval ran the tool."""
    print(json.dumps(asyncio.run(measured(package, path, call, **more))))


async def measured(
    package: str,
    path: str,
    call: Call,
    *,
    approved: Approved | None = None,
    no_approvals: str = "no approvals",
    strict: Call | None = None,
    favour: str = "",
) -> dict[str, Any]:
    """`strict` is another public path of the peer, where that refuses more than the one whose cost is measured."""
    bare, own = await _interleaved(call)
    return {
        "package": package,
        "version": version(package),
        "python": platform.python_version(),
        "path": path,
        "bareMicros": bare,
        "callMicros": own,
        "toBare": own / bare,
        "refused": [kind for kind, args in TOOL.BAD.items() if await _refuses(strict or call, args)],
        "approvals": await approved() if approved else no_approvals,
        "favour": favour,
    }


async def _interleaved(call: Call) -> tuple[float, float]:
    """Batches of the floor and of the peer take turns; the median of each, in microseconds of CPU."""
    seconds: dict[str, list[float]] = {"bare": [], "own": []}
    for measured in range(-2, ROUNDS):
        for name, path in (("bare", _bare), ("own", call)):
            texts = [TOOL.text_of(TOOL.good(next(_numbers))) for _ in range(BATCH)]
            before = Runs.number
            start = time.process_time()
            for text in texts:
                await path(text)
            took = time.process_time() - start
            if Runs.number - before != BATCH:
                raise SystemExit(f"{name}: {Runs.number - before} of {BATCH} good calls ran")
            if measured >= 0:
                seconds[name].append(took / BATCH)
    return statistics.median(seconds["bare"]) * 1e6, statistics.median(seconds["own"]) * 1e6


async def _bare(text: bytes) -> str:
    json.loads(text)
    return json.dumps(await handler())


async def _refuses(call: Call, args: dict[str, Any]) -> bool:
    before = Runs.number
    try:
        await call(TOOL.text_of(args))
    except Exception as error:  # each peer has exceptions of its own for a bad call
        print(f"{type(error).__name__}: {error}"[:200], file=sys.stderr)
    refused, before = Runs.number == before, Runs.number
    await call(TOOL.text_of(TOOL.good(next(_numbers))))
    if Runs.number == before:
        raise SystemExit("a good call after a bad one did not run, so the refusals say nothing")
    return refused


async def thrice(use: Callable[[], Awaitable[object]]) -> int:
    """How often the tool ran when one approval was used three times: a redelivered request, a button pressed again."""
    before = Runs.number
    for _ in range(3):
        try:
            await use()
        except Exception as error:  # a refusal of the second use may be an exception
            print(f"approval: {type(error).__name__}: {error}"[:200], file=sys.stderr)
    return Runs.number - before
