from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.support.folders import write_tool

from ambidex.compiler import workers
from ambidex.compiler.workers import Job, compile_jobs
from ambidex.contracts.spec import PROVIDERS


def jobs(root: Path, count: int) -> list[Job]:
    made = []
    for index in range(count):
        folder = write_tool(root, f"tool-{index}")
        made.append(Job(folder.name, {path.name: path.read_bytes() for path in folder.iterdir()}))
    return made


@pytest.fixture
def several(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_WORTH_IT", 2)
    monkeypatch.setattr("os.cpu_count", lambda: 3)


@pytest.mark.usefixtures("several")
def test_several_processes_give_what_one_gives_in_the_same_order(tmp_path: Path) -> None:
    todo = jobs(tmp_path, 7)
    alone = [compile_jobs([job], PROVIDERS, lambda _: None)[0] for job in todo]
    told: list[int] = []
    assert compile_jobs(todo, PROVIDERS, told.append) == alone
    assert told[-1] == 7


@pytest.mark.usefixtures("several")
@pytest.mark.parametrize("broken", ["/nowhere/python", "/bin/false"])
def test_a_worker_that_cannot_start_or_fails_costs_only_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    todo = jobs(tmp_path, 4)
    monkeypatch.setattr(sys, "executable", broken)
    assert [compiled.tool_id for compiled in compile_jobs(todo, PROVIDERS, lambda _: None)] == [
        job.name.replace("-", "_") for job in todo
    ]


def test_nothing_to_compile_starts_nothing() -> None:
    assert compile_jobs([], PROVIDERS, lambda _: None) == []
