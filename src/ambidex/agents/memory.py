"""The conversation, kept in the store: its items in order, the session it goes on in, and what waits for the user.

Several workers may write to one conversation. Each change is one operation: what is read in it is still so when it
is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from ambidex.ledger.spaces import CONVERSATIONS, CURSORS, below
from ambidex.stores.base import Space, Tx
from ambidex.transports.items import Item, OutcomeItem, ResultItem, UserItem

_LOOKED_AT = 20
"""Conversations that each opening looks at, to forget those that are over."""


class Waiting(msgspec.Struct, frozen=True, array_like=True):
    """A request of the conversation that the model has not been told the end of."""

    request: str
    call_id: str
    """Of the call that was answered so: the model's own, which may have called the tool that asks."""
    name: str


class Doubt(msgspec.Struct, frozen=True, array_like=True):
    """A write whose end the model was not told, for it was not known."""

    place: str
    """Of its row in the ledger."""
    call_id: str
    name: str


class ChatRow(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a conversation besides its items."""

    session: str = ""
    count: int = 0
    """The number that the next item gets."""
    waiting: tuple[Waiting, ...] = ()
    in_doubt: tuple[Doubt, ...] = ()


class Kept(msgspec.Struct, frozen=True):
    item: Item


CHATS: Space[ChatRow] = Space("chat", ChatRow)
ITEMS: Space[Kept] = Space("chat_item", Kept)


def row_of(tx: Tx, scope: str) -> ChatRow:
    return tx.get(CHATS, scope) or ChatRow()


def items_of(tx: Tx, scope: str) -> list[Item]:
    return [kept.item for _, kept in tx.scan(ITEMS, f"{scope}/")]


def append(tx: Tx, scope: str, items: Iterable[Item], *, waiting: Sequence[Waiting] = ()) -> int:
    """More items, and requests that wait now; gives the number that comes next.

    The same request is waited for once, by the call that asked last.
    """
    row = row_of(tx, scope)
    number = row.count
    for item in items:
        tx.put(ITEMS, below(scope, number), Kept(item))
        number += 1
    again = {one.request for one in waiting}
    still = tuple(one for one in row.waiting if one.request not in again)
    tx.put(CHATS, scope, msgspec.structs.replace(row, count=number, waiting=(*still, *waiting)))
    return number


def append_results(tx: Tx, scope: str, after: int, results: Sequence[ResultItem], waiting: Sequence[Waiting]) -> None:
    """The answers to a step, right behind it. If the user has spoken meanwhile, they come late, as items of their own.

    The step's calls then stand there as interrupted, and no call is answered twice.
    """
    in_time = row_of(tx, scope).count == after
    late = [OutcomeItem(call_id=one.call_id, name=one.name, ok=one.ok, body=one.body, late=True) for one in results]
    append(tx, scope, results if in_time else late, waiting=waiting)


def stop_waiting(tx: Tx, scope: str, requests: Iterable[str]) -> None:
    row, gone = row_of(tx, scope), set(requests)
    left = tuple(one for one in row.waiting if one.request not in gone)
    tx.put(CHATS, scope, msgspec.structs.replace(row, waiting=left))


def set_doubts(tx: Tx, scope: str, in_doubt: tuple[Doubt, ...]) -> None:
    tx.put(CHATS, scope, msgspec.structs.replace(row_of(tx, scope), in_doubt=in_doubt))


def take_back_turn(tx: Tx, scope: str) -> str | None:
    """Remove the user's last words and all that followed them; gives those words, None where there are none."""
    found = tx.scan(ITEMS, f"{scope}/")
    last = next((n for n in reversed(range(len(found))) if isinstance(found[n][1].item, UserItem)), None)
    if last is None:
        return None
    for place, _ in found[last:]:
        tx.delete(ITEMS, place)
    said = found[last][1].item
    return said.text if isinstance(said, UserItem) else None


def adopt(tx: Tx, scope: str, seen: str, mine: str) -> str:
    """Make `mine` the conversation's session, unless another worker was faster than this one: then theirs."""
    row = row_of(tx, scope)
    if row.session != seen:
        return row.session
    tx.put(CHATS, scope, msgspec.structs.replace(row, session=mine))
    return mine


def forget_some(tx: Tx) -> None:
    """Look at a few conversations, and remove those that the ledger has forgotten."""
    found = tx.scan(CHATS, after=tx.get(CURSORS, CHATS.name), limit=_LOOKED_AT)
    if len(found) < _LOOKED_AT:
        tx.delete(CURSORS, CHATS.name)
    else:
        tx.put(CURSORS, CHATS.name, found[-1][0])
    for scope, _ in found:
        if tx.get(CONVERSATIONS, scope) is None:
            for place, _ in tx.scan(ITEMS, f"{scope}/"):
                tx.delete(ITEMS, place)
            tx.delete(CHATS, scope)
