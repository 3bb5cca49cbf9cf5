"""What the pipeline logs while a scenario is played: why a handler crashed, which no envelope tells."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def overheard() -> Iterator[list[str]]:
    """Errors, each with the words of the exception behind it. They go nowhere else meanwhile."""
    logger = logging.getLogger("ambidex")
    before = logger.level, logger.propagate
    heard: list[str] = []
    ear = _Ear(heard)
    logger.addHandler(ear)
    logger.setLevel(logging.DEBUG)
    logger.propagate = False
    try:
        yield heard
    finally:
        logger.removeHandler(ear)
        logger.propagate = before[1]
        logger.setLevel(before[0])


class _Ear(logging.Handler):
    def __init__(self, heard: list[str]) -> None:
        super().__init__()
        self._heard = heard

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if record.levelno >= logging.ERROR:
            self._heard.append(record.getMessage())
        elif error is not None:
            # An exception's own words are logged for debugging only; who tests a tool is debugging it.
            self._heard.append(f"{type(error).__name__}: {error}")
