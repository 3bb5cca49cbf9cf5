"""One call on its way up the ladder: what the gates look at, all of it read inside one transaction."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from ambidex.arguments.parse import Parsed
from ambidex.arguments.prepare import Prepared
from ambidex.contracts.call import SideEffects, ToolCall
from ambidex.contracts.response import Fault
from ambidex.contracts.spec import ToolSpec
from ambidex.ledger.rows import BlockRow, CallRow, SessionRow, TurnRow
from ambidex.ledger.spaces import BLOCKS, CALLS, TURNS, below, block_key, scope_of
from ambidex.policy.conditions import Conditions
from ambidex.policy.limits import ConfirmationLimits, Limits, Retention
from ambidex.stores.base import Tx


class Asked(msgspec.Struct):
    """A call as it came, with everything about it that needs no store. Made before the transaction."""

    call: ToolCall
    tool: ToolSpec | None
    """None when the registry has no such tool."""
    nearest: tuple[str, ...]
    """Names that were perhaps meant, when there is none."""
    parsed: Parsed | Fault
    prepared: Prepared | Fault
    args_hash: str
    provider: str
    """Whose ids these are; empty where ids cannot be trusted to be stable."""
    untrusted: bool | None = None
    """Whether outsiders' text had entered when the model's message came; None: look at the turn."""
    parent: str = ""
    depth: int = 0
    room: bool = True
    """Whether this process may run one more of this tool, and of this session."""
    taken_back: bool = False
    """Whether its provider has cancelled it before it was decided."""


def hash_of(tool: str, canonical: bytes) -> str:
    """Of a question: the tool and its canonical arguments. One hash serves loops, idempotency and audit."""
    return hashlib.sha256(b"%b\n%b" % (tool.encode(), canonical)).hexdigest()


@dataclass(frozen=True, slots=True)
class Rules:
    """What a session is held to; the same for every call of it."""

    limits: Limits
    confirmation: ConfirmationLimits
    retention: Retention
    config: Mapping[str, Any]
    conditions: Conditions
    meta_tools: frozenset[str] = frozenset({"reg_describe", "reg_search", "reg_call"})


class Climb:
    """Read-only for gates, and read once: the rows that nearly every gate looks at are fetched at the start."""

    __slots__ = ("asked", "discovers", "hangs_up", "rules", "scope", "session", "turn", "tx", "untrusted", "writes")

    def __init__(self, tx: Tx, asked: Asked, session: SessionRow, rules: Rules) -> None:
        self.tx = tx
        self.asked = asked
        self.session = session
        self.rules = rules
        self.scope = scope_of(session.user, session.conversation)
        number, tool, marked = session.turn, asked.tool, asked.untrusted
        turn = tx.get(TURNS, below(self.scope, number)) if number else None
        self.turn: TurnRow | None = turn
        self.untrusted: bool = marked if marked is not None else turn is not None and turn.untrusted
        self.writes: bool = tool is not None and tool.side_effects is SideEffects.WRITES
        self.discovers: bool = tool is not None and tool.tool_id in rules.meta_tools
        self.hangs_up: bool = tool is not None and "END_VOICE_SESSION" in tool.intents and not (turn and turn.hung_up)
        """Whether this is the turn's one call that is outside the total: a user can always hang up."""

    @property
    def tool(self) -> ToolSpec:
        """Only behind the gate `tool_is_known`."""
        assert self.asked.tool is not None
        return self.asked.tool

    @property
    def prepared(self) -> Prepared:
        """Only behind the gate `arguments_are_valid`."""
        assert isinstance(self.asked.prepared, Prepared)
        return self.asked.prepared

    @property
    def open_turn(self) -> TurnRow:
        """Only behind the gate `turn_is_open`."""
        assert self.turn is not None
        return self.turn

    @property
    def block(self) -> BlockRow | None:
        return self.tx.get(BLOCKS, block_key(self.session.user.tenant, self.session.user.id))

    def row(self, name: str) -> CallRow | None:
        """A call of this conversation by its key."""
        return self.tx.get(CALLS, below(self.scope, name))
