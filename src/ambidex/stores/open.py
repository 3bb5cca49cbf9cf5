"""A URL -> a store."""

from __future__ import annotations

from ambidex.errors import ConfigError
from ambidex.stores.base import Store
from ambidex.stores.clock import Clock
from ambidex.stores.memory import MemoryStore
from ambidex.stores.sqlite import SqliteStore

_KNOWN = '"memory:" and "sqlite:PATH"'
_LATER = ("postgresql:", "redis:")


def open_store(url: str, *, clock: Clock | None = None) -> Store:
    """The store that `url` names, checked and ready; `StoreMismatch` if its place is not fit to keep anything."""
    if url == "memory:":
        return MemoryStore(clock)
    if url.startswith("sqlite:"):
        return SqliteStore(_path(url), clock)
    if url.startswith(_LATER):
        # The rest of such a URL may hold a password.
        raise ConfigError(f"store: {url.partition(':')[0]} is not supported yet; there are {_KNOWN}")
    raise ConfigError(f"store: {url.partition(':')[0]!r} is no kind of store; there are {_KNOWN}")


def _path(url: str) -> str:
    path = url.removeprefix("sqlite:")
    if path.startswith("//"):
        raise ConfigError(f"store: write sqlite:PATH, without // ({url!r}); an absolute path has one slash")
    if path == ":memory:":
        raise ConfigError('store: a store that is not kept is "memory:"')
    if not path or "\0" in path:
        raise ConfigError(f"store: {url!r} names no file; write sqlite:PATH")
    return path
