"""Was this very call made before? Keys, and the three ways a call is recognised.

A call's key is the provider's id where ids are stable, scoped by provider, session and epoch; else what was asked, in
which turn, and for the how-manieth time in this epoch.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from ambidex.contracts.faults import ErrorType
from ambidex.contracts.response import Fault
from ambidex.ledger.rows import CallRow, CallState, TurnCall
from ambidex.policy.climb import Climb
from ambidex.policy.refusing import refusal
from ambidex.stores.keys import key

_EPOCHS_BACK = 64
ID_REUSED = refusal(
    ErrorType.CONFLICT,
    "this call id was already used with other arguments",
    suggestion="Make a new call with a new id.",
)


@dataclass(frozen=True, slots=True)
class Seen:
    """The earlier call, and whether the new one is it under another id, which then is noted."""

    row: CallRow
    under_another_id: bool
    reissued: TurnCall | None = None
    """The entry of the turn that is matched by this, and by this only."""


def key_of(climb: Climb) -> str:
    asked, session = climb.asked, climb.session
    if asked.provider and asked.call.id:
        return _id_key(climb, session.epoch)
    turn = climb.open_turn
    ordinal = sum(
        1 for call in turn.calls if call.args_hash == asked.args_hash and call.epoch == session.epoch and _is_hash(call)
    )
    return _hash_key(turn.number, ordinal, asked.args_hash)


def _is_hash(call: TurnCall) -> bool:
    return call.key.startswith("asked/")


def _hash_key(turn: int, ordinal: int, args_hash: str) -> str:
    return key("asked", turn, ordinal, args_hash)


def _id_key(climb: Climb, epoch: int) -> str:
    return key("id", climb.asked.provider, climb.session.id, epoch, climb.asked.call.id or "")


def seen_before(climb: Climb, name: str) -> Seen | Fault | None:
    """The call that this one repeats; a fault when the id was used for something else; None for a new call."""
    row = climb.row(name)
    if row is not None and row.args_hash != climb.asked.args_hash:
        return ID_REUSED
    if row is not None and row.same_as:
        row = climb.row(row.same_as)
    if _counts(row):
        return Seen(row, under_another_id=False, reissued=_of_an_earlier_epoch(climb, name))  # type: ignore[arg-type]
    return _reissued(climb) or _same_write(climb)


def _of_an_earlier_epoch(climb: Climb, name: str) -> TurnCall | None:
    """Without ids a re-issued call has the key of the earlier one; that one is matched by it, then."""
    return next((call for call in climb.open_turn.calls if call.key == name and call.epoch < climb.session.epoch), None)


def _reissued(climb: Climb) -> Seen | None:
    """In a later epoch: the id and arguments of an earlier one, or what was asked in this turn. Each matches once."""
    epoch = climb.session.epoch
    if epoch == 1:
        return None
    if climb.asked.provider and climb.asked.call.id:
        for earlier in range(epoch - 1, max(0, epoch - 1 - _EPOCHS_BACK), -1):
            row = climb.row(_id_key(climb, earlier))
            if row is not None and row.args_hash == climb.asked.args_hash:
                row = climb.row(row.same_as) if row.same_as else row
                entry = next((call for call in climb.open_turn.calls if row and call.key == row.key), None)
                if _counts(row):
                    return Seen(row, under_another_id=True, reissued=entry)  # type: ignore[arg-type]
    for call in climb.open_turn.calls:
        if call.epoch < epoch and not call.matched and call.args_hash == climb.asked.args_hash:
            row = climb.row(call.key)
            row = climb.row(row.same_as) if row is not None and row.same_as else row
            if _counts(row):
                return Seen(row, under_another_id=True, reissued=call)  # type: ignore[arg-type]
    return None


def _same_write(climb: Climb) -> Seen | None:
    """A write that this turn has made already, under whatever id, unless its author says that repeating is meant.

    What was done before an answer was made anew is never meant to be done again.
    """
    turn = climb.open_turn
    if not climb.writes:
        return None
    for call in turn.replaced if climb.tool.repeatable else (*turn.replaced, *turn.calls):
        if call.args_hash == climb.asked.args_hash and not call.again:
            row = climb.row(call.key)
            if _counts(row):
                return Seen(row, under_another_id=True)  # type: ignore[arg-type]
    return None


def _counts(row: CallRow | None) -> bool:
    """A released key is free; a read whose answer was evicted is asked anew."""
    if row is None or row.state is CallState.RELEASED:
        return False
    return not (row.state is CallState.DONE and not row.envelope and not row.writes)


def noted(calls: tuple[TurnCall, ...], seen: Seen, climb: Climb, name: str) -> tuple[TurnCall, ...]:
    """The turn's calls, with the earlier one matched and the new id remembered."""
    epoch = climb.session.epoch
    marked = tuple(msgspec.structs.replace(call, matched=epoch) if call is seen.reissued else call for call in calls)
    if any(call.key == name and call.epoch == epoch for call in calls):
        return marked
    entry = TurnCall(name, climb.tool.tool_id, climb.asked.args_hash, epoch, climb.writes, again=True)
    return (*marked, entry)
