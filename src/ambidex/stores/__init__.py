"""Where sessions, calls, confirmations, budgets and blocks last.

The pipeline's logic is written once, as functions over a transaction; a back end only has to run them atomically.

    clock     when it is, in a way that a changed wall clock cannot fool
    keys      composite keys that cannot collide
    base      Space, Tx, Store: the contract of every back end
    errors    how a store fails
    memory    one process, nothing lasts
    sqlite    one machine, many processes, survives a kill and a power failure
    open      a URL -> a store
    runner    a store -> awaitable runs
"""

from __future__ import annotations

from ambidex.stores.base import Space, Store, Tx
from ambidex.stores.clock import Clock, Moment, SystemClock, elapsed_ms, rfc3339
from ambidex.stores.errors import StoreMismatch, StoreUnavailable
from ambidex.stores.keys import key, prefix
from ambidex.stores.open import open_store
from ambidex.stores.runner import StoreRunner

__all__ = [
    "Clock",
    "Moment",
    "Space",
    "Store",
    "StoreMismatch",
    "StoreRunner",
    "StoreUnavailable",
    "SystemClock",
    "Tx",
    "elapsed_ms",
    "key",
    "open_store",
    "prefix",
    "rfc3339",
]
