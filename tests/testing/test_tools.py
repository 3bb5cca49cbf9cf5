"""`run_tool`: one folder, one call, all of the pipeline."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.apps import Workshop, error_of

from ambidex import BuildError, User
from ambidex.testing import run_tool

SEEING = """\
from ambidex import ok

async def execute(args, context):
    return ok({"mode": context.mode, "user": context.user.id, "said": context.turn.input, "kb": context.has("kb")})
"""


def folder(tmp_path: Path, name: str = "send") -> Path:
    return tmp_path / "tools" / name


async def test_a_tool_is_built_and_run_and_its_folder_stays_as_it_was(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path).reading("look-up")
    before = listing(tmp_path)
    answer = await run_tool(folder(tmp_path, "look-up"), {"name": "ada"})
    assert answer.data == {"done": "ada"}
    assert answer.meta is not None
    assert answer.meta.tool_id == "look_up"
    assert listing(tmp_path) == {*before, "look-up.effects"}
    assert len(workshop.runs("look-up")) == 1


def listing(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*")}


async def test_arguments_may_be_json_text(tmp_path: Path) -> None:
    Workshop(tmp_path).reading("look")
    assert (await run_tool(folder(tmp_path, "look"), '{"name": "ada"}')).data == {"done": "ada"}
    assert error_of(await run_tool(folder(tmp_path, "look"), "{")) == "VALIDATION"


async def test_a_relative_path_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Workshop(tmp_path).reading("look")
    monkeypatch.chdir(folder(tmp_path, "look"))
    assert (await run_tool(".", {"name": "ada"})).ok


async def test_mode_user_words_and_capabilities_are_the_tests_to_choose(tmp_path: Path) -> None:
    Workshop(tmp_path).tool("see", handler=SEEING)
    default = await run_tool(folder(tmp_path, "see"), {"name": "x"})
    chosen = await run_tool(
        folder(tmp_path, "see"), {"name": "x"}, mode="voice", user=User("bob"), said="hm", capabilities={"kb": object()}
    )
    assert default.data == {"mode": "text", "user": "tester", "said": "please", "kb": False}
    assert chosen.data == {"mode": "voice", "user": "bob", "said": "hm", "kb": True}


async def test_the_gates_hold_as_in_a_server(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path).writing("hum", allowedModes=["voice"])
    assert error_of(await run_tool(folder(tmp_path, "hum"), {"name": "x"}, mode="text")) == "MODE_RESTRICTED"
    assert error_of(await run_tool(folder(tmp_path, "hum"), {"name": 5}, mode="voice")) == "VALIDATION"
    assert workshop.runs("hum") == []


async def test_the_default_user_holds_what_the_tool_asks_for_and_another_only_what_they_are_given(
    tmp_path: Path,
) -> None:
    Workshop(tmp_path).reading("look", permissions=["calendar"])
    assert error_of(await run_tool(folder(tmp_path, "look"), {"name": "x"})) == "ok"
    assert error_of(await run_tool(folder(tmp_path, "look"), {"name": "x"}, user=User("bob"))) == "UNAVAILABLE"


async def test_with_approve_what_is_asked_for_is_given(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path).gated()
    assert error_of(await run_tool(folder(tmp_path), {"name": "x"})) == "CONFIRMATION_REQUIRED"
    approved = await run_tool(folder(tmp_path), {"name": "x"}, approve=True)
    assert approved.data == {"done": "x"}
    assert len(workshop.runs("send")) == 1


async def test_approve_changes_nothing_where_nobody_is_asked(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path).writing("pay")
    assert error_of(await run_tool(folder(tmp_path, "pay"), {"name": "x"}, approve=True)) == "ok"
    assert error_of(await run_tool(folder(tmp_path, "pay"), {"name": 5}, approve=True)) == "VALIDATION"
    assert len(workshop.runs("pay")) == 1


async def test_a_folder_that_does_not_build_says_why(tmp_path: Path) -> None:
    Workshop(tmp_path).reading("look", category="wishful")
    with pytest.raises(BuildError) as failed:
        await run_tool(folder(tmp_path, "look"), {"name": "x"})
    assert any("category" in problem.message for problem in failed.value.problems)
