"""A conversation's items in the store: in order, once, whoever writes them."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from tests.support.apps import ANN, Workshop, running

from ambidex.agents.memory import CHATS, ITEMS, Waiting, append, forget_some, items_of, row_of, take_back_turn
from ambidex.ledger.spaces import CONVERSATIONS, scope_of
from ambidex.stores.open import open_store
from ambidex.transports.items import Asked, NoteItem, StepItem, UserItem

SCOPE = "default/ann/c"
STEP = StepItem(
    provider="gemini",
    model="m",
    calls=(Asked(id="1", name="look", args='{"a": '),),
    parts=({"functionCall": {"name": "look"}, "thoughtSignature": "c2ln", "n": [1, None, 2.5, {"é": True}]},),
)


@pytest.fixture(params=["memory:", "sqlite:{}/a.db"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(request.param).format(tmp_path)


def test_items_come_back_as_they_were_kept_parts_and_all(url: str) -> None:
    store = open_store(url)
    items = [UserItem(text="hi"), STEP, NoteItem(text="é")]
    for item in items:
        store.run(lambda tx, item=item: append(tx, SCOPE, [item]))  # type: ignore[misc]
    assert store.run(lambda tx: items_of(tx, SCOPE)) == items
    store.close()


def test_writers_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    stores = [open_store(f"sqlite:{tmp_path}/a.db") for _ in range(3)]

    def write(number: int) -> None:
        for n in range(20):
            stores[number].run(lambda tx, n=n: append(tx, SCOPE, [UserItem(text=f"{number}:{n}")]))  # type: ignore[misc]

    threads = [threading.Thread(target=write, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    texts = [item.text for item in stores[0].run(lambda tx: items_of(tx, SCOPE)) if isinstance(item, UserItem)]
    assert sorted(texts) == sorted(f"{number}:{n}" for number in range(3) for n in range(20))
    assert [text for text in texts if text.startswith("1:")] == [f"1:{n}" for n in range(20)]
    for store in stores:
        store.close()


def test_the_same_request_is_waited_for_once_by_the_call_that_asked_last(url: str) -> None:
    store = open_store(url)
    for call in ("c1", "c2"):
        store.run(lambda tx, call=call: append(tx, SCOPE, [], waiting=[Waiting("r", call, "send")]))  # type: ignore[misc]
    assert store.run(lambda tx: row_of(tx, SCOPE)).waiting == (Waiting("r", "c2", "send"),)
    store.close()


def test_a_turn_that_is_taken_back_leaves_what_was_before_it(url: str) -> None:
    store = open_store(url)
    store.run(lambda tx: append(tx, SCOPE, [UserItem(text="a"), STEP, UserItem(text="b"), STEP, NoteItem(text="n")]))
    assert store.run(lambda tx: take_back_turn(tx, SCOPE)) == "b"
    assert store.run(lambda tx: items_of(tx, SCOPE)) == [UserItem(text="a"), STEP]
    store.run(lambda tx: append(tx, SCOPE, [NoteItem(text="later")]))
    assert store.run(lambda tx: items_of(tx, SCOPE))[-1] == NoteItem(text="later")
    assert store.run(lambda tx: take_back_turn(tx, "default/ann/other")) is None
    store.close()


async def test_what_the_ledger_has_forgotten_is_forgotten_here_too(tmp_path: Path) -> None:
    async with running(Workshop(tmp_path).reading().build()) as app:
        session = await app.open(mode="text", user=ANN)
        kept = scope_of(ANN, session.conversation)
        run = app._shared.runner.run
        for scope in (kept, "default/ann/gone"):
            await run(lambda tx, scope=scope: append(tx, scope, [UserItem(text="x")]))  # type: ignore[misc]
        await run(forget_some)
        assert await run(lambda tx: [key for key, _ in tx.scan(CHATS)]) == [kept]
        assert len(await run(lambda tx: tx.scan(ITEMS))) == 1
        assert await run(lambda tx: tx.get(CONVERSATIONS, kept)) is not None
