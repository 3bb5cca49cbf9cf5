"""The ladder: the order of the gates is the specification's, and a tuple you can read.

Arguments are checked and clamped before anything is counted, and confirmation comes last, so that nobody is asked to
approve a call that would be refused, or arguments that would still change.
"""

from __future__ import annotations

from collections.abc import Callable

from ambidex.contracts.response import Fault
from ambidex.policy import gates
from ambidex.policy.climb import Climb

Gate = Callable[[Climb], Fault | None]

BEFORE_IDENTITY: tuple[Gate, ...] = (
    gates.turn_is_not_used_up,
    gates.arguments_are_json,
    gates.tool_is_known,
    gates.turn_is_open,
    gates.session_is_active,
    gates.user_is_not_blocked,
    gates.mode_is_allowed,
    gates.tool_is_available,
    gates.user_holds_the_permissions,
    gates.call_is_not_too_deep,
    gates.arguments_are_valid,
)
"""Then: was this call seen before (`seen.py`)? A call that was is counted by neither loops nor budgets."""

AFTER_IDENTITY: tuple[Gate, ...] = (
    gates.call_is_still_wanted,
    gates.call_is_no_loop,
    gates.retrieval_is_within_budget,
    gates.turn_is_within_budget,
    gates.rate_is_within_limit,
    gates.there_is_room,
    gates.store_has_room,
)
"""Then: does it need a person (`asking.py`)? Then it is claimed."""


def first_refusal(climb: Climb, ladder: tuple[Gate, ...]) -> tuple[str, Fault] | None:
    """The first gate that does not hold, by name, and what it answers."""
    for gate in ladder:
        fault = gate(climb)
        if fault is not None:
            return gate.__name__, fault
    return None
