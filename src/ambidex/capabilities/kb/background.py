"""Embedding in the background: passages get their vectors batch by batch while the base is searched and written to.

The writer's lock is held to fetch passages and to keep vectors, never while vectors are made, so an importer waits for
a moment at most. What was kept is kept: after a stop or a crash the next run goes on from there.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from threading import Event, Thread
from typing import TYPE_CHECKING

from ambidex.capabilities.kb.embedders.base import Embedder
from ambidex.capabilities.kb.engine import Engine, Passage, Progress, WriterBusy
from ambidex.capabilities.kb.search.leaning import leaning
from ambidex.errors import AmbidexError

if TYPE_CHECKING:
    from ambidex.capabilities.kb.engine import Row

logger = logging.getLogger(__name__)

FIRST_BATCH = 16
LARGEST_BATCH = 4096
_GOAL_SECONDS = 0.5
"""What making a batch should take: long beside the lock's turn, short beside a person's patience."""
_TURN_SECONDS = 0.5
"""How long to wait for the lock before looking whether to stop."""


class Embedding:
    """One base and one embedder. `run` does what there is to do; `start` and `stop` do it on a thread."""

    def __init__(self, engine: Engine, embedder: Embedder) -> None:
        self._engine = engine
        self._embedder = embedder
        self._stopping = Event()
        self._thread: Thread | None = None
        self._batch = FIRST_BATCH

    def run(self, progress: Progress | None = None) -> int:
        """Embed until nothing is left or `stop` is called; how many passages got a vector."""
        if self._complete():
            return 0
        done, waiting = 0, self._turn()
        total = self._engine.stats().pending
        while waiting and not self._stopping.is_set():
            vectors = self._vectors(waiting)
            if (waiting := self._turn(vectors)) is None:
                break
            done += len(vectors)
            # An import may have added passages meanwhile; the end is never behind us.
            total = max(total, done + len(waiting))
            if progress:
                progress(done, total)
        return done

    def start(self, *, look_again_seconds: float | None = None) -> None:
        """Run on a thread; afterwards look for new passages from time to time, if asked to."""
        if self._thread is not None:
            raise RuntimeError("this embedding was started already")
        self._thread = Thread(target=self._work, args=(look_again_seconds,), name="ambidex-embedding", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Return once the batch that is being made is kept, or let go of."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()

    def _work(self, look_again_seconds: float | None) -> None:
        while True:
            try:
                self.run()
            except AmbidexError as error:
                # A missing model or a base that cannot be written: searching by words goes on without us.
                logger.warning("no vectors are being made: %s", error)
            except Exception:
                logger.exception("making vectors failed")
            if look_again_seconds is None or self._stopping.wait(look_again_seconds):
                return

    def _complete(self) -> bool:
        """Whether there is nothing to do, so that looking again and again disturbs no writer."""
        stats = self._engine.stats()
        return stats.pending == 0 and stats.wanted == self._embedder.identity

    def _turn(self, vectors: Sequence[tuple[int, Row]] = ()) -> list[Passage] | None:
        """Keep a batch and fetch the next, however long an importer keeps us waiting; None when to stop meanwhile."""
        while True:
            try:
                with self._engine.writer(wait_seconds=_TURN_SECONDS) as writer:
                    # Every time: another process may have asked for another embedder, whose vectors these are not.
                    writer.use_embedder(self._embedder.identity, self._embedder.dim)
                    if vectors:
                        writer.embedded(vectors)
                    return writer.unembedded(self._batch)
            except WriterBusy:
                if self._stopping.is_set():
                    return None

    def _vectors(self, passages: Sequence[Passage]) -> list[tuple[int, Row]]:
        """A vector for each passage, leaning towards its heading; the same text is embedded once."""
        texts = list(dict.fromkeys(text for passage in passages for text in (passage.text, passage.heading) if text))
        start = time.monotonic()
        rows = dict(zip(texts, self._embedder.embed(texts), strict=True))
        self._adapt(time.monotonic() - start)
        return [
            (passage.id, leaning(rows[passage.text], rows[passage.heading]) if passage.heading else rows[passage.text])
            for passage in passages
        ]

    def _adapt(self, seconds: float) -> None:
        """A table makes thousands of vectors in the time that a model makes ten."""
        if seconds < _GOAL_SECONDS / 2:
            self._batch = min(self._batch * 2, LARGEST_BATCH)
        elif seconds > _GOAL_SECONDS * 2:
            self._batch = max(self._batch // 2, 1)
