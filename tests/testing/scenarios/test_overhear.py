"""What the pipeline logs is heard by whoever plays a scenario, and by nobody else meanwhile."""

from __future__ import annotations

import logging

import pytest

from ambidex.testing.scenarios.overhear import overheard


def test_errors_and_the_words_of_exceptions_are_heard_and_nothing_less() -> None:
    logger = logging.getLogger("ambidex.execution")
    with overheard() as heard:
        logger.error("%s crashed", "greet")
        logger.debug("crashed", exc_info=KeyError("name"))
        logger.warning("slow")
        logger.debug("nothing")
    assert heard == ["greet crashed", "KeyError: 'name'"]


def test_afterwards_logging_is_as_it_was(caplog: pytest.LogCaptureFixture) -> None:
    logger = logging.getLogger("ambidex")
    before = (logger.level, logger.propagate, list(logger.handlers))
    with overheard():
        logger.error("inside")
    logger.error("outside")
    assert (logger.level, logger.propagate, logger.handlers) == before
    assert [record.message for record in caplog.records] == ["outside"]
