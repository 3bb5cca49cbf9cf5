"""One call on its way up the ladder: what the gates look at, all of it read inside one transaction."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ambidex.arguments.parse import Parsed
from ambidex.arguments.prepare import Prepared
from ambidex.contracts.call import ToolCall
from ambidex.contracts.response import Fault
from ambidex.contracts.spec import ToolSpec
from ambidex.ledger.rows import BlockRow, CallRow, SessionRow, TurnRow
from ambidex.ledger.spaces import BLOCKS, CALLS, TURNS, below, block_key, scope_of
from ambidex.policy.conditions import Conditions
from ambidex.policy.limits import ConfirmationLimits, Limits, Retention
from ambidex.stores.base import Tx


@dataclass(slots=True)
class Asked:
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
    """Read-only for gates. Rows are fetched when a gate first asks for them."""

    def __init__(self, tx: Tx, asked: Asked, session: SessionRow, rules: Rules) -> None:
        self.tx = tx
        self.asked = asked
        self.session = session
        self.rules = rules
        self.scope = scope_of(session.user, session.conversation)

    @cached_property
    def tool(self) -> ToolSpec:
        """Only behind the gate `tool_is_known`."""
        assert self.asked.tool is not None
        return self.asked.tool

    @cached_property
    def prepared(self) -> Prepared:
        """Only behind the gate `arguments_are_valid`."""
        assert isinstance(self.asked.prepared, Prepared)
        return self.asked.prepared

    @cached_property
    def turn(self) -> TurnRow | None:
        number = self.session.turn
        return self.tx.get(TURNS, below(self.scope, number)) if number else None

    @property
    def open_turn(self) -> TurnRow:
        """Only behind the gate `turn_is_open`."""
        assert self.turn is not None
        return self.turn

    @cached_property
    def block(self) -> BlockRow | None:
        return self.tx.get(BLOCKS, block_key(self.session.user.tenant, self.session.user.id))

    @cached_property
    def untrusted(self) -> bool:
        marked = self.asked.untrusted
        return self.open_turn.untrusted if marked is None else marked

    @cached_property
    def writes(self) -> bool:
        return self.tool.side_effects == "writes"

    @cached_property
    def discovers(self) -> bool:
        return self.tool.tool_id in self.rules.meta_tools

    @cached_property
    def hangs_up(self) -> bool:
        """Whether this is the turn's one call that is outside the total: a user can always hang up."""
        return "END_VOICE_SESSION" in self.tool.intents and not self.open_turn.hung_up

    def row(self, name: str) -> CallRow | None:
        """A call of this conversation by its key."""
        return self.tx.get(CALLS, below(self.scope, name))
