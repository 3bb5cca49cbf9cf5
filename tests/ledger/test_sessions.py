"""Sessions and turns in the store: who may have one, how turns are numbered, how both end."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from ambidex import User
from ambidex.audit.chain import defer
from ambidex.contracts.call import Mode
from ambidex.contracts.intents import EndVoiceSession, SetPendingMessage
from ambidex.ledger.rows import SessionRow, TurnKind
from ambidex.ledger.sessions import (
    Begun,
    NotOpened,
    attach_session,
    begin_turn,
    decision_turn,
    end_session,
    open_session,
    resume_session,
    turn_is_spoken,
)
from ambidex.ledger.spaces import CONVERSATIONS, RESUME, SESSIONS, TURNS, below, scope_of
from ambidex.ledger.state import apply
from ambidex.stores.base import Tx
from ambidex.stores.memory import MemoryStore
from ambidex.testing import FakeClock

ANN, BOB = User("ann"), User("bob")


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore(FakeClock())


def new(
    store: MemoryStore, user: User = ANN, mode: Mode = Mode.TEXT, conversation: str | None = None, token: str = "token"
) -> SessionRow:
    row = store.run(lambda tx: open_session(tx, user, mode, conversation, "1.0.0", "hash", token, defer))
    assert isinstance(row, SessionRow)
    return row


def is_current(tx: Tx, row: SessionRow) -> None:
    """A registry that never changes."""


def resume(
    store: MemoryStore, token: str, fresh: str, user: User = ANN, mode: Mode = Mode.TEXT
) -> SessionRow | NotOpened:
    return store.run(lambda tx: resume_session(tx, user, token, fresh, mode, is_current, defer))


def speak(store: MemoryStore, row: SessionRow, kind: TurnKind = TurnKind.MESSAGE) -> Begun:
    begun = store.run(lambda tx: begin_turn(tx, row.id, row.epoch, "hello", kind, defer))
    assert isinstance(begun, Begun)
    return begun


@pytest.mark.threat("S03")
def test_ids_are_long_random_and_never_the_same(store: MemoryStore) -> None:
    rows = [new(store, token=str(number)) for number in range(200)]
    names = [row.id for row in rows] + [row.conversation for row in rows]
    assert len(set(names)) == 400
    # 18 bytes in base64: 144 bits, all of them random
    assert {len(name) for name in names} == {24}
    assert all(len({name[place] for name in names}) > 30 for place in range(24))


@pytest.mark.threat("S03")
def test_who_holds_an_id_or_a_token_of_another_user_finds_nothing(store: MemoryStore) -> None:
    row = new(store)
    for stranger in (BOB, User("ann", tenant="other")):
        attached = store.run(lambda tx, who=stranger: attach_session(tx, who, row.id, outdated=is_current))  # type: ignore[misc]
        absent = store.run(lambda tx, who=stranger: attach_session(tx, who, "none", outdated=is_current))  # type: ignore[misc]
        assert isinstance(attached, NotOpened)
        assert attached == absent
        assert resume(store, "token", "fresh", stranger) == resume(store, "wrong", "fresh", stranger)
    assert isinstance(resume(store, "token", "fresh"), SessionRow)


def test_only_hashes_of_tokens_are_stored(store: MemoryStore) -> None:
    new(store, token="a secret that must not be found")
    held = store.run(lambda tx: repr([tx.scan(SESSIONS), tx.scan(RESUME)]))
    assert "a secret" not in held


def test_a_token_resumes_once_in_the_next_epoch_with_the_turn_intact(store: MemoryStore) -> None:
    begun = speak(store, new(store))
    again = resume(store, "token", "second")
    assert isinstance(again, SessionRow)
    assert (again.id, again.epoch, again.turn) == (begun.session.id, 2, begun.turn.number)
    assert isinstance(resume(store, "token", "third"), NotOpened)
    third = resume(store, "second", "third")
    assert isinstance(third, SessionRow)
    assert third.epoch == 3


@pytest.mark.threat("S01")
def test_a_resume_in_another_mode_is_refused_and_costs_nothing(store: MemoryStore) -> None:
    new(store, mode=Mode.VOICE)
    refused = resume(store, "token", "fresh", mode=Mode.TEXT)
    assert isinstance(refused, NotOpened)
    assert refused.type == "MODE_RESTRICTED"
    again = resume(store, "token", "fresh", mode=Mode.VOICE)
    assert isinstance(again, SessionRow)
    assert again.epoch == 2


def test_the_newest_epoch_wins(store: MemoryStore) -> None:
    old = new(store)
    resume(store, "token", "fresh")
    refused = store.run(lambda tx: begin_turn(tx, old.id, old.epoch, "hello", TurnKind.MESSAGE, defer))
    assert isinstance(refused, NotOpened)
    assert refused.type == "SESSION_INACTIVE"


@settings(max_examples=100)
@given(st.lists(st.tuples(st.sampled_from([0, 1, 2]), st.sampled_from(list(TurnKind))), max_size=12))
def test_turns_are_numbered_through_the_conversation_across_its_sessions(steps: list[tuple[int, TurnKind]]) -> None:
    store = MemoryStore(FakeClock())
    modes = (Mode.TEXT, Mode.VOICE, Mode.TEXT)
    rows = [new(store, mode=mode, conversation="shared", token=str(at)) for at, mode in enumerate(modes)]
    begun = [speak(store, rows[which], kind) for which, kind in steps]
    assert [each.turn.number for each in begun] == list(range(1, len(steps) + 1))
    for which, row in enumerate(rows):
        last = max((at + 1 for at, (who, _) in enumerate(steps) if who == which), default=0)
        found = store.run(lambda tx, name=row.id: tx.get(SESSIONS, name))  # type: ignore[misc]
        assert found is not None
        assert found.turn == last


def test_two_users_may_call_their_conversations_alike_and_share_nothing(store: MemoryStore) -> None:
    ann, bob = new(store, ANN, conversation="main", token="a"), new(store, BOB, conversation="main", token="b")
    assert [speak(store, row).turn.number for row in (ann, ann, bob)] == [1, 2, 1]


@pytest.mark.parametrize("kind", list(TurnKind))
def test_only_the_users_own_words_clear_the_mark_of_outsiders_text(store: MemoryStore, kind: TurnKind) -> None:
    begun = speak(store, new(store))
    scope = scope_of(ANN, begun.session.conversation)

    def mark(tx: Tx) -> None:
        turn = tx.get(TURNS, below(scope, 1))
        assert turn is not None
        tx.put(TURNS, below(scope, 1), replace(turn, untrusted=True))

    store.run(mark)
    assert speak(store, begun.session, kind).turn.untrusted == (kind not in (TurnKind.MESSAGE, TurnKind.TRANSCRIPT))


def with_end(store: MemoryStore, after: str) -> SessionRow:
    """A voice session in its first turn whose end is due."""
    row = speak(store, new(store, mode=Mode.VOICE)).session

    def end(tx: Tx) -> SessionRow:
        state, _ = apply(row.state, EndVoiceSession(after=after))  # type: ignore[arg-type]
        changed = replace(row, state=state)
        tx.put(SESSIONS, row.id, changed)
        return changed

    return store.run(end)


def test_a_session_due_to_end_with_its_turn_is_ended_by_the_next_input(store: MemoryStore) -> None:
    row = with_end(store, "current_turn")
    refused = store.run(lambda tx: begin_turn(tx, row.id, row.epoch, "wait", TurnKind.TRANSCRIPT, defer))
    assert isinstance(refused, NotOpened)
    assert refused.type == "SESSION_INACTIVE"
    conversation = store.run(lambda tx: tx.get(CONVERSATIONS, scope_of(ANN, row.conversation)))
    assert conversation is not None
    assert (conversation.turn, conversation.voice_session) == (1, "")


@pytest.mark.threat("S09")
@pytest.mark.parametrize("after", ["current_turn", "farewell_spoken"])
def test_a_turn_heard_to_its_end_ends_the_session_that_waited_for_it(store: MemoryStore, after: str) -> None:
    row = with_end(store, after)
    over = store.run(lambda tx: turn_is_spoken(tx, row.id, row.epoch, defer))
    assert isinstance(over, SessionRow)
    assert not over.state.is_active
    assert isinstance(resume(store, "token", "fresh", mode=Mode.VOICE), NotOpened)


def test_a_turn_heard_to_its_end_ends_no_other_session(store: MemoryStore) -> None:
    row = speak(store, new(store, mode=Mode.VOICE)).session
    still = store.run(lambda tx: turn_is_spoken(tx, row.id, row.epoch, defer))
    assert isinstance(still, SessionRow)
    assert still.state.is_active


def test_a_decision_begins_a_turn_and_leaves_messages_for_the_next_input(store: MemoryStore) -> None:
    row = speak(store, new(store)).session
    state, _ = apply(row.state, SetPendingMessage(message="for later"))
    row = replace(row, state=state)
    begun = store.run(lambda tx: decision_turn(tx, row, "what was said", TurnKind.APPROVAL, defer))
    assert (begun.turn.number, begun.turn.input, begun.messages) == (2, "what was said", ())
    assert speak(store, begun.session).messages == ("for later",)


def test_an_ended_session_can_neither_be_resumed_nor_attached_to(store: MemoryStore) -> None:
    row = new(store)
    store.run(lambda tx: end_session(tx, row, "closed", defer))
    attached = store.run(lambda tx: attach_session(tx, ANN, row.id, outdated=is_current))
    assert isinstance(attached, NotOpened)
    assert attached.type == "SESSION_INACTIVE"
    assert isinstance(resume(store, "token", "fresh"), NotOpened)
