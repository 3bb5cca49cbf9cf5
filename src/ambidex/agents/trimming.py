"""What of a conversation is sent: as much of its end as fits, whole turns first, a call never without its result."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ambidex.agents.tokens import estimate
from ambidex.transports.items import Item, NoteItem, ResultItem, StepItem, UserItem

_LEFT_OUT = NoteItem(text="Earlier parts of this conversation were left out here, for want of room.")
_UNANSWERED = "this call was interrupted; whether it was carried out is not known"


def whole(items: Sequence[Item]) -> list[Item]:
    """The conversation with an answer to every call: a process may have died between a call and its result."""
    answered: list[Item] = []
    open_calls: dict[str, ResultItem] = {}
    for item in items:
        if isinstance(item, ResultItem):
            if open_calls.pop(item.call_id, None) is None:
                continue  # no step asked for it, or it is a second answer
        else:
            answered += open_calls.values()
            open_calls = {}
        if isinstance(item, StepItem):
            open_calls = {call.id: _interrupted(call.id, call.name) for call in item.calls}
        answered.append(item)
    return answered + list(open_calls.values())


def _interrupted(call_id: str, name: str) -> ResultItem:
    error = {"type": "OUTCOME_UNKNOWN", "message": _UNANSWERED, "retryable": False, "partialSideEffects": True}
    return ResultItem(call_id=call_id, name=name, ok=False, body={"ok": False, "error": error})


def trimmed(items: Sequence[Item], tokens: int) -> list[Item]:
    """The newest items that fit. Of the turn that is on, the user's words and the last step stay in any case."""
    turns = _split(whole(items), UserItem)
    kept: list[Item] = list(turns[-1]) if turns else []
    room = tokens - _cost(kept)
    if room < 0:
        return _shortened(kept, tokens)
    for turn in reversed(turns[:-1]):
        room -= _cost(turn)
        if room < 0:
            return [_LEFT_OUT, *kept]
        kept = [*turn, *kept]
    return kept


def _shortened(turn: Sequence[Item], tokens: int) -> list[Item]:
    """One turn that is too long by itself: its oldest steps go, each with its results."""
    head, *steps = _split(turn, StepItem)
    if head and isinstance(head[0], StepItem):
        head, steps = [], [head, *steps]
    while len(steps) > 1 and _cost(head) + sum(map(_cost, steps)) > tokens:
        steps = steps[1:]
    return [*head, _LEFT_OUT, *(item for step in steps for item in step)]


def _split(items: Sequence[Item], kind: type[Item]) -> list[list[Item]]:
    """Runs that each begin with an item of this kind; what stands before the first is one of its own."""
    runs: list[list[Item]] = []
    for item in items:
        if isinstance(item, kind) or not runs:
            runs.append([])
        runs[-1].append(item)
    return runs


def _cost(items: Sequence[Item]) -> int:
    """Tokens, estimated: the limit is one of money and patience, far below what models take, and counting costs."""
    return sum(estimate(_sent(item)).n for item in items)


def _sent(item: Item) -> str:
    """About what goes over the wire: a step's own parts, or the item itself."""
    content = item.parts if isinstance(item, StepItem) and item.parts else item
    return msgspec.json.encode(content).decode()
