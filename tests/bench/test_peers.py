"""The comparison's table and chart say what its JSON says, in the pages too."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[2]
PEERS = ROOT / "bench" / "peers"
RESULTS: dict[str, Any] = {
    "date": "1 May 2026",
    "python": "3.11.7",
    "machine": "x86_64, 2 cores",
    "kinds": ["missing", "too long"],
    "rows": [
        {
            "name": "Ambidex",
            "package": "ambidex",
            "version": "1.0",
            "path": "answer_json",
            "callMicros": 40.4,
            "toBare": 2.0,
            "refused": ["missing", "too long"],
            "approvals": {"with the token": 1},
        },
        {
            "name": "Fast & loose",
            "package": "loose",
            "version": "2.0",
            "path": "call",
            "callMicros": 10.0,
            "toBare": 0.5,
            "refused": ["missing"],
            "approvals": {"in memory": 1, "stored": 3},
        },
        {"name": "Absent", "requirements": ["absent==1"], "error": "no matching distribution"},
    ],
}


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Any:
    return _script(monkeypatch, "table")


def _script(monkeypatch: pytest.MonkeyPatch, name: str) -> Any:
    """The scripts stand beside each other and import so; nothing of theirs stays loaded."""
    monkeypatch.syspath_prepend(str(PEERS))
    monkeypatch.delitem(sys.modules, name, raising=False)
    module = importlib.import_module(name)
    monkeypatch.delitem(sys.modules, name)
    return module


def test_the_cheapest_comes_first_and_what_was_not_measured_last(table: Any) -> None:
    rows = table.markdown(RESULTS).splitlines()[4:]
    approvals = "ran once in memory; ran three times stored"
    assert rows == [
        f"| Fast & loose | 2.0 | `call` | 10 µs | 0.5 | 1 of 2 (not: too long) | {approvals} |",
        "| **Ambidex** | 1.0 | `answer_json` | 40 µs | 2.0 | 2 of 2 | ran once with the token |",
        "| Absent | absent==1 | not measured: no matching distribution | | | | |",
        "",
        "Cheaper than Ambidex in this run: Fast & loose.",
    ]


def test_a_page_keeps_everything_around_its_table(table: Any) -> None:
    page = f"before\n{table.BEGIN}\nold\n{table.END}\nafter\n"
    assert table.between_markers(page, "new") == f"before\n{table.BEGIN}\nnew\n{table.END}\nafter\n"
    with pytest.raises(ValueError, match="no <!-- peers"):
        table.between_markers("a page without a place", "new")


def test_the_chart_has_a_bar_for_each_that_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    chart = ElementTree.fromstring(_script(monkeypatch, "chart").svg(RESULTS))
    bars = [rect for rect in chart.iter("{http://www.w3.org/2000/svg}rect") if rect.get("class")]
    assert [(bar.get("class"), bar.get("width")) for bar in bars] == [("peer", "2"), ("ours", "126")]


@pytest.mark.parametrize("page", ["README.md", "docs/comparison.md"])
def test_the_pages_and_the_chart_are_those_of_the_stored_figures(
    page: str, table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = json.loads((PEERS / "results.json").read_text(encoding="utf-8"))
    assert table.markdown(results) in (ROOT / page).read_text(encoding="utf-8")
    drawn = (ROOT / "docs" / "images" / "peers.svg").read_text(encoding="utf-8")
    assert drawn == _script(monkeypatch, "chart").svg(results)


def test_every_peer_has_a_script_and_pinned_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    for peer in _script(monkeypatch, "peers").PEERS:
        assert (PEERS / peer.script).is_file()
        assert all("==" in requirement for requirement in peer.requirements)


def test_one_peer_that_cannot_run_stops_no_other(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    peer = _script(monkeypatch, "peers").Peer("Broken", "run_broken.py", ("broken==1",))
    environments = _script(monkeypatch, "environments")
    home = tmp_path / ".bench" / "broken"
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "python").symlink_to(sys.executable)
    (home / "requirements.txt").write_text("broken==1")
    (tmp_path / "run_broken.py").write_text("raise SystemExit('it does not start')")
    monkeypatch.setattr(environments, "ROOT", tmp_path)
    monkeypatch.setattr(environments, "HERE", tmp_path)
    assert environments.measured(peer) == {
        "name": "Broken",
        "requirements": ["broken==1"],
        "error": "it does not start",
    }


def test_our_own_script_measures_refuses_and_approves_once() -> None:
    environment = {"PEERS_ROUNDS": "1", "PEERS_BATCH": "4", "PATH": ""}
    done = subprocess.run(
        [sys.executable, str(PEERS / "run_ambidex.py")], capture_output=True, text=True, check=True, env=environment
    )
    told = json.loads(done.stdout)
    assert told["callMicros"] > 0
    assert len(told["refused"]) == 9
    assert told["approvals"] == {"with the token": 1}
