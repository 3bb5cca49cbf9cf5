"""The express lane: calls of which every gate is known to hold before the ladder is climbed.

Most calls only look, need nobody, and come to a store in memory, within their budgets, for the first time. For them
the ladder would answer nothing at all, and asking it costs more than running the tool. The lane never refuses: it
knows a call that the ladder would let through, or it knows nothing and leaves the call to the ladder. What each gate
asks, and why it holds here, is the table below; a test keeps it whole, and another compares lane and ladder.
"""

from __future__ import annotations

from ambidex.contracts.call import Mode, SideEffects
from ambidex.contracts.spec import ToolSpec
from ambidex.ledger.rows import ConversationRow, SessionRow, TurnRow
from ambidex.policy import gates
from ambidex.policy.climb import Rules
from ambidex.policy.ladder import Gate

WHY: dict[Gate, str] = {
    gates.turn_is_not_used_up: "a page is opened for a turn with refusals left, and a refusal closes it",
    gates.arguments_are_json: "other arguments leave the lane",
    gates.tool_is_known: "a lane belongs to a tool",
    gates.turn_is_open: "a page belongs to a turn",
    gates.session_is_active: "a page is opened for an active session, and its end closes it",
    gates.user_is_not_blocked: "a user of whom the list of blocks says anything leaves the lane",
    gates.mode_is_allowed: "a lane belongs to a mode that its tool is allowed in",
    gates.tool_is_available: "a tool with a condition has no lane",
    gates.user_holds_the_permissions: "a tool that asks for permissions has no lane",
    gates.call_is_not_too_deep: "a tool's call of a tool never takes the lane",
    gates.arguments_are_valid: "other arguments leave the lane",
    gates.call_is_still_wanted: "in a session where anything was taken back nothing takes the lane",
    gates.call_is_no_loop: "a loop closes with a call that the turn has seen: such a one leaves the lane",
    gates.retrieval_is_within_budget: "looked at: `Lane.is_within_budget`",
    gates.turn_is_within_budget: "looked at: `Lane.is_within_budget`",
    gates.rate_is_within_limit: "a tool with a rate has no lane",
    gates.there_is_room: "looked at: what runs for the session; a tool with a limit of its own has no lane",
    gates.store_has_room: "what only looks needs none",
}
"""Beyond the gates: a call is seen before if its key is taken, it is of an earlier epoch, or it is a write: a taken key
and a later epoch leave the lane, and writes have none. No tool that may need a person has one."""


def has_lane(tool: ToolSpec, mode: Mode, rules: Rules) -> bool:
    """Whether calls of this tool may take it at all."""
    return (
        tool.side_effects is not SideEffects.WRITES
        and mode in tool.allowed_modes
        and not (tool.availability or tool.permissions or tool.rate_limit or tool.max_concurrency)
        and not (tool.requires_confirmation or tool.confirm_when)
        and not (tool.intents or tool.redact)
        and tool.tool_id not in rules.meta_tools
    )


def opens_page(session: SessionRow, conversation: ConversationRow, turn: TurnRow, rules: Rules) -> bool:
    """Whether calls of this turn may take it at all.

    Text that outsiders wrote enters the turn that is on when it arrives (`ledger/finish.py`): if another session of
    the conversation has begun a later one, that one would have to be marked as well.
    """
    return (
        session.epoch == 1
        and session.state.is_active
        and turn.number == conversation.turn
        and turn.refusals < rules.limits.refusals
    )
