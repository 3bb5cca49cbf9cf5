"""How a barge-in, a provider's cancellation or a caller that went away reaches a call: once; at most one listens."""

from __future__ import annotations

from collections.abc import Callable


class Stop:
    """For one event loop. Much cheaper than an event that tasks wait for: nearly no call is ever stopped."""

    __slots__ = ("_listener", "_set")

    def __init__(self) -> None:
        self._set = False
        self._listener: Callable[[], None] | None = None

    def is_set(self) -> bool:
        return self._set

    def set(self) -> None:
        self._set = True
        if self._listener is not None:
            self._listener()

    def tell(self, listener: Callable[[], None] | None) -> None:
        """Who hears of it from now on; at once, if it is set already. None: nobody."""
        self._listener = listener
        if listener is not None and self._set:
            listener()
