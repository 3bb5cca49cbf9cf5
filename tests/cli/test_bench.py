"""`ambidex bench registry` and `bench core`: the figures as one JSON document, or as a table."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import Result

Run = Callable[..., Result]


def test_figures_come_as_json_and_as_a_table(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    document = json.loads(run("bench", "registry", "--size", "2", "--repeat", "1", "--json").stdout)
    assert document.pop("ok") is True
    assert [row["tools"] for row in document["rows"]] == [2]

    def measured_before(*_: Any, **__: Any) -> dict[str, Any]:
        return dict(document)

    monkeypatch.setattr("ambidex.bench.registry.run", measured_before)
    table = run("bench", "registry").stdout
    assert "import + load" in table
    assert f"{document['rows'][0]['loadToFloor']:.1f}" in table


SMALL = ("--rounds", "1", "--sessions", "1", "--callers", "1", "--durable", "1", "--idle", "1")


def test_the_cost_of_a_call_comes_as_json_and_as_tables(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    document = json.loads(run("bench", "core", *SMALL, "--json").stdout)
    assert document.pop("ok") is True
    assert document["figures"]["badArgumentsRefused"] == 9

    def measured_before(*_: Any, **__: Any) -> dict[str, Any]:
        return dict(document)

    monkeypatch.setattr("ambidex.bench.core.run", measured_before)
    tables = run("bench", "core").stdout
    assert f"{document['figures']['guardedToBare']:.2f}" in tables
    assert "encode the envelope" in tables


def test_a_registry_has_at_least_one_tool(run: Run) -> None:
    run("bench", "registry", "--size", "0", code=2)
