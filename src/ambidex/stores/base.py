"""The contract of every store: typed spaces, and operations that happen wholly or not at all.

An operation is a function of a transaction. It must be pure but for `tx`: a back end may run it again when another
process was faster, so it must neither call out nor change anything outside. It cannot await, and it keeps no `tx`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import msgspec

from ambidex.stores.clock import Clock, Moment

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Space(Generic[T]):
    """A named map from key to value. Who defines a space owns its name and the meaning of its keys."""

    name: str
    type: type[T]
    """A frozen struct, or `bytes`, `str` or `int`: a value that was put can no longer change, in any back end.
    What a struct holds must not change either: tuples rather than lists, and mappings that nobody writes to."""

    def __post_init__(self) -> None:
        if self.type in (bytes, str, int):
            return
        if not (issubclass(self.type, msgspec.Struct) and self.type.__struct_config__.frozen):
            raise TypeError(f"values of the space {self.name!r} must be a frozen struct, bytes, str or int")


class Late:
    """A value that is not made yet. Only a store in memory can hold one, and whoever reads it finds the value made.

    Once read it is replaced by what it made, so its owner can tell by identity whether anybody has looked.
    """

    __slots__ = ()

    def value(self) -> object:
        raise NotImplementedError


class Tx(Protocol):
    """One operation's view of the store. It reads its own writes, sees nobody else's, and ends with the operation."""

    now: Moment
    """The store's clock, read once when the operation began: later operations never see an earlier monotonic time."""

    def get(self, space: Space[T], key: str) -> T | None: ...

    def put(self, space: Space[T], key: str, value: T) -> None:
        """Set or replace. A key is any text that UTF-8 can carry; another raises `ValueError`."""

    def delete(self, space: Space[T], key: str) -> None:
        """Remove the key if it is there."""

    def scan(
        self, space: Space[T], prefix: str = "", *, after: str | None = None, limit: int | None = None
    ) -> list[tuple[str, T]]:
        """Keys that begin with `prefix` and are greater than `after`, by code point, at most `limit` of them."""


class Store(Protocol):
    """A back end."""

    url: str
    durable: bool
    """Whether it outlives the process and is shared between processes."""
    clock: Clock

    def run(self, operation: Callable[[Tx], T], *, lasting: bool = True) -> T:
        """Run the operation alone: all of it happens, or, if it raises, none; what it raised goes on to the caller.

        When this returns, the writes survive a kill of the process; if `lasting`, a power failure as well.
        `StoreUnavailable` and `StoreMismatch` are the store's own failures. An operation cannot run another one.
        """

    def close(self) -> None:
        """Give back what the store holds, after its last run. Closing again does nothing; running is refused."""
