"""The engines behave as pinned, and the self-test would notice if they did not."""

from __future__ import annotations

import sys

import pytest

from ambidex.cli.checkup import engines
from ambidex.cli.checkup.finding import State


def test_the_engines_of_this_installation_behave_as_pinned() -> None:
    assert {finding.name: finding.state for finding in engines.engines()} == {
        "patterns": State.OK,
        "conditions": State.OK,
    }


@pytest.mark.parametrize("pinned", engines.PATTERNS, ids=lambda pinned: pinned[3])
def test_every_pinned_pattern_would_be_noticed(
    monkeypatch: pytest.MonkeyPatch, pinned: tuple[str, str, bool, str]
) -> None:
    pattern, text, expected, shows = pinned
    monkeypatch.setattr(engines, "PATTERNS", ((pattern, text, not expected, shows),))
    patterns, _ = engines.engines()
    assert (patterns.state, patterns.detail) == (State.BROKEN, f"does not hold: {shows}")


def test_an_engine_that_is_not_there_has_to_be_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema_rs", None)
    patterns, _ = engines.engines()
    assert patterns.state is State.MISSING
