"""`ambidex test`: names what broke, where and how; updates; counts what a guide promises."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import pytest
from click.testing import Result

Run = Callable[..., Result]
SHIPPED = Path(__file__).parents[2] / "tools"


class Break(NamedTuple):
    """One careless edit of a shipped tool, and how it must be named."""

    file: str
    before: str
    after: str
    scenario: str
    words: tuple[str, ...]


BREAKS = {
    "a reworded answer": Break(
        "format-datetime/english.py",
        '"three": "third"',
        '"three": "3rd"',
        "spoken",
        ("/data/text", '"Tuesday the third of March', '"Tuesday the 3rd of March'),
    ),
    "an intent that is forgotten": Break(
        "end-voice-session/handler.py",
        ', intents=[Intent.END_VOICE_SESSION(after="current_turn", **ending)]',
        "",
        "goodbye",
        ("/intents/0", '"END_VOICE_SESSION"', "(nothing)"),
    ),
    "a message that says less": Break(
        "ignore-user/handler.py",
        '                "farewellMessage": args["farewell_message"],\n',
        "",
        "second-offence",
        ("/sent/0/farewellMessage", "I'm going to pause here for a minute.", "(nothing)"),
    ),
    "a limit that is lifted": Break(
        "start-voice-session/schema.json",
        '"maxLength": 500',
        '"maxLength": 5000',
        "request-too-long",
        ("/ok", "false", "true"),
    ),
    "an answer that breaks its own contract": Break(
        "image-draft-prompt/handler.py",
        '{"variants": draft(',
        '{"drafts": draft(',
        "three-by-default",
        ("/error", "INTERNAL", "log: image_draft_prompt returned something that is no result"),
    ),
    "a secret in the record": Break(
        "start-voice-session/handler.py",
        "hasPendingRequest=bool(request)",
        "request=request",
        "request-handed-over",
        ("/audit/0/request", "who leads the museum project?", "/audit/0/hasPendingRequest"),
    ),
    "a crash": Break(
        "reg-describe/handler.py",
        'described["tool_id"]',
        'described["toolId"]',
        "in-voice",
        ("log: ", "KeyError: 'toolId'", "handler.py:"),
    ),
    "a mode that is taken away": Break(
        "format-datetime/schema.json",
        '"allowedModes": ["text", "voice"]',
        '"allowedModes": ["text"]',
        "spoken",
        ("/error", "MODE_RESTRICTED"),
    ),
}


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the shipped tools, in the current folder."""
    shutil.copytree(SHIPPED, tmp_path / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "tools"


def edit(path: Path, before: str, after: str) -> None:
    text = path.read_text("utf-8")
    assert text.count(before) >= 1, "the break must change something"
    path.write_text(text.replace(before, after), "utf-8")


@pytest.mark.parametrize("careless", BREAKS.values(), ids=BREAKS.keys())
def test_a_break_of_a_shipped_tool_is_named(shipped: Path, run: Run, careless: Break) -> None:
    tool = careless.file.partition("/")[0]
    edit(shipped / careless.file, careless.before, careless.after)
    said = run("test", tool, code=1).stdout
    _, _, failure = said.partition(f"FAIL tools/{tool}/scenarios/{careless.scenario}.json\n")
    failure = failure.partition("FAIL ")[0]
    assert json.loads((shipped / tool / "scenarios" / f"{careless.scenario}.json").read_text())["about"] in failure
    for words in careless.words:
        assert words in failure


def test_a_break_of_one_tool_fails_no_other(shipped: Path, run: Run) -> None:
    edit(shipped / "end-voice-session" / "handler.py", "async def", "def")
    said = run("test", "--json", code=1).stdout
    tools = {tool["tool"]: tool for tool in json.loads(said)["tools"]}
    assert [name for name, tool in tools.items() if not tool["ok"]] == ["end-voice-session"]
    assert "tools/end-voice-session/handler.py" in tools["end-voice-session"]["problems"][0]


def test_a_failure_mode_that_no_scenario_shows_is_listed_and_fails_nothing(shipped: Path, run: Run) -> None:
    edit(shipped / "reg-describe" / "guide.md", "- **NOT_FOUND**", "- **AUTH**: sign in.\n- **NOT_FOUND**")
    lines = run("test", "reg_describe").stdout.splitlines()
    assert lines[0].split("  ")[-1].strip() == "Not shown"
    assert lines[1].split() == ["reg-describe", "6", "0", "2", "of", "3", "AUTH"]


def test_the_shipped_tools_pass_and_show_every_failure_mode(shipped: Path, run: Run) -> None:
    result = run("test")
    assert "FAIL" not in result.stdout
    for line in result.stdout.splitlines()[1:]:
        _, passed, failed, shown, _, of = line.split()
        assert int(passed) > 0
        assert (failed, shown) == ("0", of)


def test_every_kind_of_new_tool_passes_its_own_scenario(project: Path, run: Run) -> None:
    for kind in ("utility", "retrieval", "action"):
        run("new", f"my-{kind}", "--category", kind)
    run("new", "send-note", "--writes")
    assert json.loads(run("test", "--json").stdout)["ok"]


def test_an_update_writes_what_happens_now(shipped: Path, run: Run) -> None:
    careless = BREAKS["a reworded answer"]
    edit(shipped / careless.file, careless.before, careless.after)
    result = run("test", "format-datetime", "--update")
    assert "updated tools/format-datetime/scenarios/spoken.json" in result.stdout
    assert "look at the difference" in result.stderr
    written = json.loads((shipped / "format-datetime" / "scenarios" / "spoken.json").read_text())
    assert "3rd of March" in written["expect"]["data"]["text"]
    run("test", "format-datetime")


def test_json_has_every_difference_and_leaves_out_a_side_that_is_not_there(shipped: Path, run: Run) -> None:
    careless = BREAKS["an intent that is forgotten"]
    edit(shipped / careless.file, careless.before, careless.after)
    document: dict[str, Any] = json.loads(run("test", "end-voice-session", "--json", code=1).stdout)
    [tool] = document["tools"]
    [goodbye] = [scenario for scenario in tool["scenarios"] if scenario["name"] == "goodbye"]
    assert document["ok"] is tool["ok"] is goodbye["ok"] is False
    intent = {"type": "END_VOICE_SESSION", "after": "current_turn", "reason": "user_requested"}
    assert goodbye["differences"] == [{"pointer": "/intents/0", "expected": intent}]
    assert tool["failureModes"] == {"VALIDATION": ["closing-too-long"]}


def test_junit_has_a_case_for_every_scenario_and_for_a_tool_that_does_not_build(shipped: Path, run: Run) -> None:
    careless = BREAKS["a limit that is lifted"]
    edit(shipped / careless.file, careless.before, careless.after)
    edit(shipped / "end-voice-session" / "handler.py", "async def", "def")
    run("test", "start-voice-session", "end-voice-session", "--junit", "out/report.xml", code=1)
    suites = {suite.get("name"): suite for suite in ElementTree.parse("out/report.xml").getroot()}
    start, end = suites["start-voice-session"], suites["end-voice-session"]
    assert (start.get("tests"), start.get("failures"), start.get("errors")) == ("5", "1", "0")
    assert (end.get("tests"), end.get("failures"), end.get("errors")) == ("1", "0", "1")
    [failure] = start.iter("failure")
    assert failure.get("message") == "A request of 501 characters is refused."
    assert "/ok\n  expected  false\n  got       true" in (failure.text or "")
    assert "handler.py" in ElementTree.tostring(end, encoding="unicode")


def test_on_a_terminal_it_says_the_same(shipped: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = run("test", "reg-describe").stdout
    monkeypatch.setattr("ambidex.cli.test.on_terminal", lambda _: True)
    assert run("test", "reg-describe").stdout.split() == plain.split()


def test_a_misspelled_tool_is_answered_with_the_nearest(shipped: Path, run: Run) -> None:
    assert "did you mean 'format-datetime'" in run("test", "format-datetim", code=2).stderr


def test_where_there_is_nothing_to_run_nothing_has_passed(tmp_path: Path, monkeypatch: Any, run: Run) -> None:
    monkeypatch.chdir(tmp_path)
    assert "there is no folder tools" in run("test", code=1).stderr
    (tmp_path / "tools").mkdir()
    assert "there are no scenarios" in run("test", code=1).stderr


def test_what_a_handler_wrote_cannot_move_a_cursor(shipped: Path, run: Run) -> None:
    edit(shipped / "format-datetime" / "english.py", '"three": "third"', '"three": "\\x1b[2J\\u202ethird"')
    assert "\x1b" not in run("test", "format-datetime", code=1).stdout
