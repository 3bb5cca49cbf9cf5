"""Places in a text that are taken. Whoever claims first keeps them, so nothing is found twice or across another."""

from __future__ import annotations


class Claims:
    def __init__(self, length: int) -> None:
        self._taken = bytearray(length)

    def claim(self, start: int, end: int) -> bool:
        """Take `start:end` if all of it is free."""
        if any(self._taken[start:end]):
            return False
        self._taken[start:end] = b"\x01" * (end - start)
        return True
