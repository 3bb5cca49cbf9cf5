"""`ambidex explain`: the ladder for one call, in a pipe and on a terminal, without a trace in the store."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from click.testing import CliRunner, Result
from rich.console import Console

from ambidex.cli.explain import command, drawn
from ambidex.contracts.call import Mode
from ambidex.policy.explain import Explanation, Kind, Step, Verdict, every_step

Run = Callable[..., Result]
NOTE = '{"text": "Bring the form"}'


def explain(*args: str, code: int = 0, given: str | None = None) -> Result:
    result = CliRunner().invoke(command, args, input=given, prog_name="ambidex explain")
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


def test_every_step_has_a_line_with_a_sign_and_a_reason(built: Path) -> None:
    lines = explain("opening-hours", '{"day": "monday"}', "--mode", "voice").stdout.splitlines()
    assert lines[0].startswith("✓  session is current")
    assert len(lines) == len(every_step()) + 2
    assert "✓  mode is allowed" in lines[7]
    assert lines[-1] == "it would run"


def test_a_refusal_ends_the_ladder_and_the_command_with_one(built: Path) -> None:
    result = explain("count-words", '{"text": "a b"}', "--mode", "voice", code=1)
    [crossed] = [line for line in result.stdout.splitlines() if line.startswith("✗")]
    assert "mode is allowed" in crossed
    assert "MODE_RESTRICTED" in crossed
    assert "not reached" in result.stdout
    assert result.stdout.splitlines()[-1] == "it would be refused: MODE_RESTRICTED, by mode_is_allowed"
    assert "the model would be told: Offer to do this in text." in result.stderr


def test_a_call_that_needs_a_person_is_no_refusal(built: Path) -> None:
    result = explain("send-note", NOTE, "--mode", "text")
    assert "?  no person is needed" in result.stdout
    assert result.stdout.splitlines()[-1] == "the user would be asked first"
    assert 'arguments: {"text": "Bring the form"' in result.stderr


def test_with_json_the_explanation_is_one_document(built: Path) -> None:
    told = json.loads(explain("opening-hours", "{}", "--mode", "text", "--json", code=1).stdout)
    assert (told["ok"], told["decision"], told["rule"]) == (False, "refuse", "arguments_are_valid")
    assert told["errorType"] == "VALIDATION"
    assert [step["gate"] for step in told["steps"]] == list(every_step())


def test_arguments_may_come_from_stdin(built: Path) -> None:
    explain("opening-hours", "-", "--mode", "text", given='{"day": "sunday"}')
    explain("opening-hours", "-", "--mode", "text", given='{"day"', code=1)


def test_no_store_is_made_and_one_that_is_there_is_not_written_to(built: Path, run: Run) -> None:
    place = built / "other.db"
    explain("opening-hours", '{"day": "monday"}', "--mode", "text", "--store", f"sqlite:{place}")
    assert not place.exists()
    run("call", "opening-hours", '{"day": "monday"}', "--mode", "text", "--store", f"sqlite:{place}")
    recorded = run("audit", "tail", "-n", "100", "--store", f"sqlite:{place}", "--json").stdout
    told = explain("send-note", NOTE, "--mode", "text", "--store", f"sqlite:{place}", "--json").stdout
    assert json.loads(told)["turn"] == 2
    assert run("audit", "tail", "-n", "100", "--store", f"sqlite:{place}", "--json").stdout == recorded


def test_what_the_conversation_has_pending_counts(built: Path, run: Run) -> None:
    where = ("--mode", "text", "--store", f"sqlite:{built / 'store.db'}")
    for word in "abc":
        run("call", "send-note", json.dumps({"text": word}), *where, code=1)
    told = json.loads(explain("send-note", NOTE, *where, "--json", code=1).stdout)
    assert (told["rule"], told["errorType"]) == ("requests_are_few", "RATE_LIMIT")
    explain("send-note", NOTE, *where, "--conversation", "another")


def test_a_tool_that_is_not_there_is_wrong_usage(built: Path) -> None:
    assert "did you mean 'send_note'" in explain("send-not", NOTE, "--mode", "text", code=2).stderr


def test_a_terminal_gets_a_tree_and_nothing_in_it_can_move_the_cursor() -> None:
    steps = (
        Step("tool_is_known", "tool is known", Verdict.PASS, "look 1.0.0"),
        Step("mode_is_allowed", "mode is allowed", Verdict.REFUSE, "bad\x1b[2J", "Go"),
        Step("turn_is_open", "turn is open", Verdict.NOT_REACHED),
    )
    explanation = Explanation(
        tool="look", mode=Mode.TEXT, turn=1, decision=Kind.REFUSE, rule="mode_is_allowed", error_type="X", steps=steps
    )
    console = Console(width=100, force_terminal=True, color_system=None)
    with console.capture() as captured:
        console.print(drawn(explanation))
    text = captured.get()
    assert "├── ✓ tool is known  look 1.0.0" in text
    assert "├── ✗ mode is allowed  bad\\x1b[2J" in text
    assert "├── · turn is open  not reached" in text
    assert "└── it would be refused: X, by mode_is_allowed" in text
