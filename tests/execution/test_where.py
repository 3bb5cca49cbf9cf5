"""An error is told by its kind and place, without what it quotes."""

from __future__ import annotations

import pytest

from ambidex.execution.where import where


@pytest.mark.threat("L01")
def test_an_error_is_named_by_kind_and_place_and_never_quoted() -> None:
    try:
        int("MARKER")
    except ValueError as error:
        told = where(error)
    assert told.startswith("ValueError at execution/test_where.py:")
    assert "in test_an_error_is_named_by_kind_and_place_and_never_quoted" in told
    assert "MARKER" not in told


def test_an_error_that_was_never_raised_has_only_its_kind() -> None:
    assert where(KeyError("MARKER")) == "KeyError"
