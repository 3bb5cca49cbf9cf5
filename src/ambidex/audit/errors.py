"""How the audit fails.

* AmbidexError
  x AuditMismatch   the files of a log do not continue in the store; somebody has to look
"""

from __future__ import annotations

from ambidex.errors import AmbidexError


class AuditMismatch(AmbidexError):
    """Nothing was written: exporting on would bury what happened. The message says what to do."""
