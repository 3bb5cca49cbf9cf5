"""What the server itself keeps in the store: logs of streams, counts of inputs. A power cut may take it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from ambidex.stores.base import Tx

if TYPE_CHECKING:
    from ambidex.orchestrator import Orchestrator

T = TypeVar("T")


class Keeper:
    """Operations in the same order as the orchestrator's own, without waiting for the disk each time."""

    def __init__(self, app: Orchestrator) -> None:
        self._app = app

    async def __call__(self, operation: Callable[[Tx], T]) -> T:
        """Raises `StoreUnavailable`."""
        return await self._app.stored(operation, lasting=False)
