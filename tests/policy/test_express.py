"""Which calls may take the express lane: every gate is accounted for, and every reason to leave it counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.support.apps import ANN, Workshop

from ambidex.contracts.call import Mode, SideEffects
from ambidex.contracts.spec import RateLimit, ToolSpec
from ambidex.ledger.rows import ConversationRow, SessionRow, State, TurnKind, TurnRow
from ambidex.policy.climb import Rules
from ambidex.policy.conditions import Conditions
from ambidex.policy.express import WHY, has_lane, opens_page
from ambidex.policy.ladder import AFTER_IDENTITY, BEFORE_IDENTITY
from ambidex.policy.limits import TEXT, ConfirmationLimits, Retention
from ambidex.stores.clock import Moment

RULES = Rules(TEXT, ConfirmationLimits(), Retention(), {}, Conditions())
NOW = Moment(0, 0, "")
SESSION = SessionRow(
    id="s", user=ANN, conversation="c", registry="1", content_hash="", state=State(mode=Mode.TEXT), opened=NOW, turn=4
)
TURN = TurnRow(number=4, kind=TurnKind.MESSAGE, input="", began=NOW)
CONVERSATION = ConversationRow(turn=4)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> ToolSpec:
    """A tool that only looks and asks for nothing."""
    root: Path = tmp_path_factory.mktemp("tools")
    return Workshop(root).reading("look").build()._specs["look"]


def test_there_is_a_reason_for_every_gate_of_the_ladder_and_for_nothing_else() -> None:
    assert list(WHY) == [*BEFORE_IDENTITY, *AFTER_IDENTITY]
    assert all(WHY.values())


@pytest.mark.parametrize("effects", [SideEffects.NONE, SideEffects.READ_ONLY])
@pytest.mark.parametrize("mode", list(Mode))
def test_a_tool_that_only_looks_and_asks_for_nothing_has_a_lane(
    plain: ToolSpec, effects: SideEffects, mode: Mode
) -> None:
    assert has_lane(msgspec.structs.replace(plain, side_effects=effects), mode, RULES)


@pytest.mark.parametrize(
    "change",
    [
        {"side_effects": SideEffects.WRITES},
        {"allowed_modes": (Mode.VOICE,)},
        {"availability": "user.authenticated"},
        {"permissions": ("calendar",)},
        {"rate_limit": RateLimit(calls=1, window_ms=1)},
        {"max_concurrency": 1},
        {"requires_confirmation": True},
        {"confirm_when": "true"},
        {"intents": ("SUPPRESS_AUDIO",)},
        {"redact": ("args.name",)},
        {"tool_id": "reg_describe"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_one_reason_is_enough_for_a_tool_to_have_none(plain: ToolSpec, change: dict[str, Any]) -> None:
    assert not has_lane(msgspec.structs.replace(plain, **change), Mode.TEXT, RULES)


def test_a_page_is_opened_for_a_fresh_turn_and_up_to_the_last_refusal_that_is_borne() -> None:
    assert opens_page(SESSION, CONVERSATION, TURN, RULES)
    assert opens_page(SESSION, CONVERSATION, msgspec.structs.replace(TURN, refusals=TEXT.refusals - 1), RULES)


@pytest.mark.parametrize(
    ("session", "conversation", "turn"),
    [
        ({"epoch": 2}, {}, {}),
        ({"state": State(mode=Mode.TEXT, is_active=False)}, {}, {}),
        ({}, {"turn": 5}, {}),
        ({}, {}, {"refusals": TEXT.refusals}),
    ],
    ids=["resumed", "ended", "another session's turn is on", "used up"],
)
def test_one_reason_is_enough_for_a_turn_to_have_no_page(
    session: dict[str, Any], conversation: dict[str, Any], turn: dict[str, Any]
) -> None:
    change = msgspec.structs.replace
    assert not opens_page(change(SESSION, **session), change(CONVERSATION, **conversation), change(TURN, **turn), RULES)
