"""The thoughts of a model behind Responses: they come encrypted, and go back as long as the service can read them.

Nothing is left with the service (`store` is false): every request holds the whole conversation, so it can go on with
another account, at another address, or long after the service would have forgotten it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from ambidex.transports.base import ProviderFault
from ambidex.transports.items import Item, StepItem
from ambidex.transports.shapes import text

ENCRYPTED = "reasoning.encrypted_content"
_NOT_GIVEN = re.compile(r"encrypted.content is not supported", re.IGNORECASE)
_NOT_READ = re.compile(r"encrypted.content|item with id|without its required", re.IGNORECASE)
_MOST_FOREIGN = 4096


class Thoughts:
    """What one provider object has learnt of its service."""

    def __init__(self) -> None:
        self._given = True
        """Until the service says that this model has none to give."""
        self._foreign: dict[str, None] = {}
        """Items that it would not read, oldest first."""

    def settings(self) -> dict[str, Any]:
        """Members of every request."""
        return {"store": False, "include": [ENCRYPTED]} if self._given else {"store": False}

    def readable(self, items: Iterable[Item]) -> list[Item]:
        """The conversation; steps with parts that the service would not read go back in the neutral form."""
        return [replace(item, parts=()) if self._is_foreign(item) else item for item in items]

    def learn(self, refused: ProviderFault, items: Iterable[Item]) -> bool:
        """Whether the same step may be asked for again, now that the reason of this refusal is known."""
        if refused.status not in (400, 404):
            return False
        about = f"{refused.code} {refused.detail}"
        if self._given and (refused.param.startswith("include") or _NOT_GIVEN.search(about)):
            self._given = False
            return True
        return bool(_NOT_READ.search(about)) and self._forget(items)

    def _forget(self, items: Iterable[Item]) -> bool:
        """Which of them it was is not always told, so none of these goes back again."""
        known = len(self._foreign)
        self._foreign.update(dict.fromkeys(id for item in items for id in _ids(item)))
        learnt = len(self._foreign) > known
        while len(self._foreign) > _MOST_FOREIGN:
            del self._foreign[next(iter(self._foreign))]
        return learnt

    def _is_foreign(self, item: Item) -> bool:
        return isinstance(item, StepItem) and any(id in self._foreign for id in _ids(item))


def can_go_back(items: Iterable[dict[str, Any]]) -> bool:
    """A thought that came without its content means nothing to a service that keeps none."""
    return all(item.get("encrypted_content") for item in items if item.get("type") == "reasoning")


def _ids(item: Item) -> Iterator[str]:
    for part in item.parts if isinstance(item, StepItem) else ():
        if id := text(part.get("id")):
            yield id
