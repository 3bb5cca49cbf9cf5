"""How a store fails.

* AmbidexError
  x StoreUnavailable   not now: busy for too long, disk full, out of reach; the same operation may succeed later
  x StoreMismatch      not here: another program's file, another version, settings that cannot keep our promises
"""

from __future__ import annotations

from ambidex.errors import AmbidexError


class StoreUnavailable(AmbidexError):
    """The operation is worth another try. Unless the message says otherwise, nothing was written."""


class StoreMismatch(AmbidexError):
    """No try will help until somebody acts; the message says what was found, what is needed and what to do."""
