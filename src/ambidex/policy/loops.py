"""Loops: the third identical call of a turn, or a cycle of two or three calls that comes round again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ambidex.ledger.rows import TurnCall

_TIMES = 3
_PERIODS = (2, 3)


@dataclass(frozen=True, slots=True)
class Loop:
    what: str
    gave: str
    """What the earlier call gave, in a word."""


def loop_of(calls: Sequence[TurnCall], tool: str, args_hash: str) -> Loop | None:
    """Whether letting this call through would close a loop. `calls` are those of the turn; repeats do not count."""
    calls = [call for call in calls if not call.again]
    same = [call for call in calls if call.args_hash == args_hash]
    if len(same) >= _TIMES - 1:
        return Loop(f"the same call of {tool} was made {len(same)} times and comes", same[-1].gave)
    hashes = [call.args_hash for call in calls] + [args_hash]
    for period in _PERIODS:
        if len(hashes) >= 2 * period and hashes[-period:] == hashes[-2 * period : -period]:
            names = ", ".join([call.tool for call in calls[len(calls) - 2 * period + 1 :][:period]])
            return Loop(f"the same {period} calls ({names}) come in the same order", calls[-period].gave)
    return None
