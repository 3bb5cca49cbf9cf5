"""What `ambidex serve` does before it serves, one line each, with the time it took."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ambidex.cli.output import note


class Steps:
    def __init__(self, *, quiet: bool) -> None:
        self.quiet = quiet

    @contextmanager
    def step(self, name: str) -> Iterator[Callable[[str], None]]:
        """Whoever takes the step tells what came of it."""
        told: list[str] = []
        began = time.perf_counter()
        yield told.append
        self.tell(name, " ".join(told), began)

    def tell(self, name: str, words: str, began: float) -> None:
        """A step that ended elsewhere."""
        if not self.quiet:
            note(f"{name:<10} {words}  ({time.perf_counter() - began:.2f} s)")
