"""The gates, in ladder order. Each is the sentence that must hold: None when it does, else the refusal.

A gate reads and never writes; reserving, claiming and recording happen after the last one, in the same transaction.
"""

from __future__ import annotations

from ambidex.arguments.prepare import Prepared
from ambidex.contracts.call import Category
from ambidex.contracts.faults import ErrorType
from ambidex.contracts.response import Fault
from ambidex.ledger.blocks import block_left_ms
from ambidex.ledger.pruning import kept_writes
from ambidex.policy.climb import Climb
from ambidex.policy.limits import MAX_DEPTH
from ambidex.policy.loops import loop_of
from ambidex.policy.rates import wait_ms
from ambidex.policy.refusing import refusal
from ambidex.policy.seen import Seen, key_of, seen_before

_ANSWER_NOW = "Answer with what you have, and say what you could not find out."


def arguments_are_json(climb: Climb) -> Fault | None:
    return climb.asked.parsed if isinstance(climb.asked.parsed, Fault) else None


def tool_is_known(climb: Climb) -> Fault | None:
    if climb.asked.tool is not None:
        return None
    near = climb.asked.nearest
    hint = f"Did you mean {' or '.join(near)}?" if near else "Use one of the tools you were given."
    return refusal(ErrorType.NOT_FOUND, "there is no tool of this name", suggestion=hint)


def turn_is_open(climb: Climb) -> Fault | None:
    if climb.turn is not None:
        return None
    return refusal(ErrorType.SESSION_INACTIVE, "no turn has begun: the user has not said anything yet")


def session_is_active(climb: Climb) -> Fault | None:
    if climb.session.state.is_active:
        return None
    return refusal(ErrorType.SESSION_INACTIVE, "the session has ended", suggestion="Do not call tools any more.")


def user_is_not_blocked(climb: Climb) -> Fault | None:
    left = block_left_ms(climb.block, climb.tx.now)
    if left <= 0:
        return None
    return refusal(ErrorType.UNAVAILABLE, "this user is blocked for now", retry_after_ms=left)


def turn_is_not_used_up(climb: Climb) -> Fault | None:
    """Ten refusals end a turn's tool use, except that a user can always hang up, and what ran is still told."""
    turn = climb.turn
    if turn is None or turn.refusals < climb.rules.limits.refusals:
        return None
    if session_is_active(climb) or user_is_not_blocked(climb):
        return None  # graver, and said at its place
    if climb.asked.tool is not None and (climb.hangs_up or _ran_before(climb)):
        return None
    message = f"{climb.rules.limits.refusals} calls were refused this turn; its tool use is over"
    return refusal(ErrorType.BUDGET_EXCEEDED, message, suggestion=_ANSWER_NOW)


def _ran_before(climb: Climb) -> bool:
    return isinstance(climb.asked.prepared, Prepared) and isinstance(seen_before(climb, key_of(climb)), Seen)


def mode_is_allowed(climb: Climb) -> Fault | None:
    mode, modes = climb.session.state.mode, climb.tool.allowed_modes
    if mode in modes:
        return None
    others = " or ".join(str(other) for other in modes)
    message = f"{climb.tool.tool_id} is not allowed in {mode}"
    return refusal(ErrorType.MODE_RESTRICTED, message, suggestion=f"Offer to do this in {others}.")


def tool_is_available(climb: Climb) -> Fault | None:
    if climb.rules.conditions.available(climb.tool, climb.session, climb.rules.config):
        return None
    message = f"{climb.tool.tool_id} is not available to this user now"
    return refusal(ErrorType.UNAVAILABLE, message, suggestion="Say so, and go on without it.")


def user_holds_the_permissions(climb: Climb) -> Fault | None:
    missing = [scope for scope in climb.tool.permissions if scope not in climb.session.user.scopes]
    if not missing:
        return None
    message = f"the user lacks the permission {', '.join(missing)}"
    return refusal(ErrorType.UNAVAILABLE, message, suggestion="Say that they are not allowed to do this.")


def call_is_not_too_deep(climb: Climb) -> Fault | None:
    if climb.asked.depth <= MAX_DEPTH:
        return None
    message = f"tools may call tools {MAX_DEPTH} levels deep"
    return refusal(ErrorType.LOOP_DETECTED, message, suggestion=_ANSWER_NOW)


def arguments_are_valid(climb: Climb) -> Fault | None:
    prepared = climb.asked.prepared
    return None if isinstance(prepared, Prepared) else prepared


def call_is_still_wanted(climb: Climb) -> Fault | None:
    if not climb.asked.taken_back:
        return None
    return refusal(ErrorType.CANCELLED, "this call was cancelled before it began; nothing was done")


def call_is_no_loop(climb: Climb) -> Fault | None:
    loop = loop_of(climb.open_turn.calls, climb.tool.tool_id, climb.asked.args_hash)
    if loop is None:
        return None
    gave = f" It gave {loop.gave}." if loop.gave else ""
    return refusal(
        ErrorType.LOOP_DETECTED,
        f"{loop.what} again in this turn; nothing new will come of it.{gave}",
        suggestion=f"Use the earlier answer, ask something different, or answer now. {_ANSWER_NOW}",
    )


def retrieval_is_within_budget(climb: Climb) -> Fault | None:
    limit = climb.rules.limits.retrieval
    if climb.discovers or climb.tool.category is not Category.RETRIEVAL or climb.open_turn.retrieval < limit:
        return None
    message = f"{limit} look-ups were already used this turn"
    suggestion = f"If ids are known, use kb_get with them next turn. {_ANSWER_NOW}"
    return refusal(ErrorType.BUDGET_EXCEEDED, message, suggestion=suggestion)


def turn_is_within_budget(climb: Climb) -> Fault | None:
    limits, turn = climb.rules.limits, climb.open_turn
    if climb.discovers:
        if turn.discovery < limits.discovery:
            return None
        message = f"{limits.discovery} questions about tools were already asked this turn"
    elif turn.total < limits.total or climb.hangs_up:
        return None
    else:
        message = f"{limits.total} calls were already used this turn"
    return refusal(ErrorType.BUDGET_EXCEEDED, message, suggestion=_ANSWER_NOW)


def there_is_room(climb: Climb) -> Fault | None:
    if climb.asked.room:
        return None
    message = f"too many calls of {climb.tool.tool_id} are running"
    suggestion = "Wait for those that run, or go on without it."
    return refusal(ErrorType.RATE_LIMIT, message, suggestion=suggestion, retry_after_ms=1000, retryable=True)


def store_has_room(climb: Climb) -> Fault | None:
    """A write that could not be remembered must not happen; what only looks goes on."""
    if not climb.writes or kept_writes(climb.tx) < climb.rules.retention.writes:
        return None
    return store_is_full()


def store_is_full() -> Fault:
    message = "no more writes can be recorded at the moment, so nothing was done"
    suggestion = "Tell the user that this does not work right now."
    return refusal(ErrorType.TRANSIENT, message, suggestion=suggestion, retryable=True)


def rate_is_within_limit(climb: Climb) -> Fault | None:
    wait = wait_ms(climb)
    if wait <= 0:
        return None
    message = f"{climb.tool.tool_id} was called too often"
    suggestion = "Go on without it, or tell the user to try again later."
    return refusal(ErrorType.RATE_LIMIT, message, suggestion=suggestion, retry_after_ms=wait, retryable=True)
