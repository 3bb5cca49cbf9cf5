"""`ambidex call`: one call through the pipeline, from a pipe, from a terminal, and after a kill."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result
from tests.cli.test_walk import ambidex
from tests.support.folders import write_tool

from ambidex.cli.main import cli
from ambidex.ledger.spaces import CALLS, OPEN
from ambidex.stores.base import Tx
from ambidex.stores.open import open_store

Run = Callable[..., Result]
PROGRAM = [sys.executable, "-c", "from ambidex.cli.main import main; main()"]
NOTE = '{"text": "Bring the form"}'


def test_data_goes_to_stdout_and_the_facts_to_stderr(built: Path, run: Run) -> None:
    result = run("call", "opening-hours", '{"day": "monday"}', "--mode", "voice")
    assert json.loads(result.stdout)["day"] == "monday"
    assert result.stderr.startswith("opening_hours 1.0.0, registry 1.0.")
    assert "turn 1" in result.stderr


def test_with_json_the_whole_envelope_is_printed(built: Path, run: Run) -> None:
    envelope = json.loads(run("call", "opening_hours", '{"day": "monday"}', "--mode", "text", "--json").stdout)
    assert next(iter(envelope)) == "ok"
    assert envelope["meta"]["toolId"] == "opening_hours"
    refused = json.loads(run("call", "opening_hours", "{}", "--mode", "text", "--json", code=1).stdout)
    assert refused["error"]["type"] == "VALIDATION"


def test_arguments_may_come_from_stdin(built: Path) -> None:
    result = CliRunner().invoke(cli, ["call", "opening-hours", "-", "--mode", "text"], input='{"day": "sunday"}')
    assert json.loads(result.stdout)["day"] == "sunday"


def test_arguments_that_are_no_json_are_answered_and_not_run(built: Path, run: Run) -> None:
    assert "error: VALIDATION: " in run("call", "opening-hours", '{"day":', "--mode", "text", code=1).stderr


@pytest.mark.threat("V05")
def test_bytes_that_are_no_text_are_answered_and_not_run(built: Path) -> None:
    for args, given in (("-", b'{"day": "\xff"}'), (os.fsdecode(b'{"day": "\xff"}'), b"")):
        result = CliRunner().invoke(cli, ["call", "opening-hours", args, "--mode", "text"], input=given)
        assert result.exit_code == 1
        assert "error: VALIDATION: " in result.stderr


def test_a_tool_that_is_not_there_is_wrong_usage_with_the_nearest_name(built: Path, run: Run) -> None:
    assert "did you mean 'send_note'" in run("call", "send-not", NOTE, "--mode", "text", code=2).stderr


def test_the_mode_is_never_guessed(built: Path, run: Run) -> None:
    assert "--mode" in run("call", "opening-hours", "{}", code=2).stderr
    told = run("call", "count-words", '{"text": "a b"}', "--mode", "voice", code=1).stderr
    assert "error: MODE_RESTRICTED" in told
    assert "next: run it with the other --mode" in told


def test_without_an_artifact_it_says_to_build(project: Path, run: Run) -> None:
    assert "next: run `ambidex build`" in run("call", "opening-hours", "--mode", "text", code=1).stderr


@pytest.mark.threat("C16")
def test_a_call_that_needs_a_person_does_not_run_where_nobody_can_be_asked(built: Path, run: Run) -> None:
    result = run("call", "send-note", NOTE, "--mode", "text", code=1)
    assert result.stdout == ""
    assert "error: CONFIRMATION_REQUIRED" in result.stderr
    assert 'Send "Bring the form"' in result.stderr
    assert "next: run the same command with --approve" in result.stderr
    assert "message to the user" not in result.stderr


@pytest.mark.threat("C12", "C13")
def test_approving_later_approves_the_request_that_waits(built: Path, run: Run) -> None:
    asked = json.loads(run("call", "send-note", NOTE, "--mode", "text", "--json", code=1).stdout)
    again = json.loads(run("call", "send-note", NOTE, "--mode", "text", "--json", code=1).stdout)
    assert again["error"]["confirmation_request"]["id"] == asked["error"]["confirmation_request"]["id"]
    approved = run("call", "send-note", NOTE, "--mode", "text", "--approve")
    assert json.loads(approved.stdout) == {"sent": True}
    assert approved.stderr.count("message to the user: ") == 1
    lines = [json.loads(line) for line in run("audit", "tail", "--json", "-n", "100").stdout.splitlines()]
    assert [line["event"] for line in lines if line["event"].startswith("confirmation")] == [
        "confirmation_requested",
        "confirmation_approved",
    ]


@pytest.mark.threat("C12")
def test_a_user_who_was_asked_too_often_is_told_when_to_try_again(built: Path, run: Run) -> None:
    (built / "ambidex.toml").write_text("[confirmation]\nhourly = 1\n")
    run("call", "send-note", NOTE, "--mode", "text", "--approve")
    told = run("call", "send-note", '{"text": "another"}', "--mode", "text", "--approve", code=1).stderr
    assert "RATE_LIMIT: the user was asked too often in the last hour" in told
    assert re.search(r"^next: try again in \d+ s$", told, re.MULTILINE)


def test_the_users_words_are_what_said_gives(built: Path, run: Run) -> None:
    handler = (
        "from ambidex import ok\n\nasync def execute(args, context):\n    return ok({'said': context.turn.input})\n"
    )
    write_tool(built / "tools", "echo", handler=handler)
    run("build")
    call = ("call", "echo", '{"name": "x"}', "--mode", "text")
    assert json.loads(run(*call, "--said", "please").stdout) == {"said": "please"}
    assert json.loads(run(*call).stdout) == {"said": 'echo {"name": "x"}'}


def test_a_voice_session_ends_with_its_command(built: Path, run: Run) -> None:
    handler = "from ambidex import ok\n\nasync def execute(args, context):\n    return ok(context.voice.is_active())\n"
    write_tool(built / "tools", "speaking", handler=handler)
    run("build")
    call = ("call", "speaking", '{"name": "x"}', "--mode")
    assert run(*call, "voice").stdout == "true\n"
    assert run(*call, "text").stdout == "false\n"


def test_the_user_holds_every_scope_that_a_tool_asks_for(built: Path, run: Run) -> None:
    write_tool(built / "tools", "guarded", permissions=["calendar"])
    run("build")
    assert "Ada" in run("call", "guarded", '{"name": "Ada"}', "--mode", "text").stdout


def test_what_a_tool_sends_or_answers_cannot_move_the_cursor(built: Path, run: Run) -> None:
    evil = "\\x1b[2J\\u202e\\x9b"
    handler = (
        "from ambidex import ok\n\nasync def execute(args, context):\n"
        f"    context.progress('{evil}')\n    await context.messaging.send({{'m': '{evil}'}})\n"
        f"    return ok({{'m': '{evil}'}})\n"
    )
    write_tool(built / "tools", "shout", handler=handler)
    run("build")
    result = run("call", "shout", '{"name": "x"}', "--mode", "text")
    assert json.loads(result.stdout) == {"m": "\x1b[2J\u202e\x9b"}
    assert all(line.isprintable() for line in (result.stdout + result.stderr).splitlines())


@pytest.mark.threat("S06")
def test_a_blocked_user_is_told_how_a_block_ends(built: Path, run: Run) -> None:
    handler = (
        "from ambidex import ok\n\nasync def execute(args, context):\n"
        "    await context.blocks.add(3600)\n    return ok({})\n"
    )
    write_tool(built / "tools", "hush", handler=handler, category="action", sideEffects="writes")
    run("build")
    run("call", "hush", '{"name": "x"}', "--mode", "text")
    told = run("call", "opening-hours", '{"day": "monday"}', "--mode", "voice", code=1).stderr
    assert "UNAVAILABLE: this user is blocked" in told
    assert "next: `ambidex blocks lift local`" in told
    refused = json.loads(run("call", "opening-hours", "{}", "--mode", "text", "--json", code=1).stdout)
    assert refused["error"]["type"] == "UNAVAILABLE"
    run("call", "opening-hours", '{"day": "monday"}', "--mode", "voice", "--user", "somebody-else")
    run("blocks", "lift", "local")
    run("call", "opening-hours", '{"day": "monday"}', "--mode", "voice")


def test_the_audit_is_exported_and_whole_and_another_store_keeps_its_own(built: Path, run: Run) -> None:
    call = ("call", "opening-hours", '{"day": "monday"}', "--mode", "text")
    run(*call)
    exported = (built / "audit" / "audit-000001.jsonl").read_bytes()
    assert exported.count(b"\n") == 5, "session, turn, call started and finished, end of the session"
    run(*call, "--store", "sqlite:other.db")
    run(*call, "--store", "memory:")
    assert (built / "audit" / "audit-000001.jsonl").read_bytes() == exported
    assert "the audit is whole" in run("audit", "verify").stdout


# On a terminal


def on_a_terminal(folder: Path, typed: bytes, *args: str) -> tuple[int, str]:
    """What a person sees, who types `typed` when asked."""
    ours, theirs = pty.openpty()
    environ = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    process = subprocess.Popen(
        [*PROGRAM, *args], cwd=folder, env=environ, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    )
    os.close(theirs)
    seen, answered = b"", False
    while True:
        try:
            seen += os.read(ours, 4096)
        except OSError:
            break
        if b"[y/N]" in seen and not answered:
            answered = True
            os.write(ours, typed)
    os.close(ours)
    return process.wait(), seen.decode()


def test_on_a_terminal_the_preview_is_shown_and_the_person_decides(built: Path) -> None:
    code, seen = on_a_terminal(built, b"n\n", "call", "send-note", NOTE, "--mode", "text")
    assert code == 1
    assert seen.index('Send "Bring the form"') < seen.index("Do it? [y/N]")
    assert "CONFIRMATION_REJECTED" in seen
    assert "message to the user" not in seen
    code, seen = on_a_terminal(built, b"y\n", "call", "send-note", NOTE, "--mode", "text")
    assert code == 0
    assert "message to the user" in seen
    assert "╭─" in seen


def test_a_question_that_is_left_with_ctrl_d_decides_nothing(built: Path, run: Run) -> None:
    code, seen = on_a_terminal(built, b"\x04", "call", "send-note", NOTE, "--mode", "text")
    assert code == 1
    assert "Aborted!" in seen
    assert "Traceback" not in seen
    events = run("audit", "tail", "--json", "-n", "100").stdout
    assert "confirmation_requested" in events
    assert "confirmation_rejected" not in events


# Interrupted

LONG = """\
from pathlib import Path
from ambidex import ok


async def execute(args, context):
    await context.in_thread(Path("running").write_text, "inside")
    await context.in_thread(Path("go").read_text)
    Path("effects").write_text("x")
    return ok({"sent": True})
"""
"""It says that it runs, and ends when it is told to."""


@pytest.mark.threat("I10")
def test_an_interrupt_lets_a_write_end_and_be_recorded(built: Path, run: Run) -> None:
    (built / "tools" / "send-note" / "handler.py").write_text(LONG)
    run("build")
    os.mkfifo(built / "running")
    os.mkfifo(built / "go")
    with begun(built, "call", "send-note", NOTE, "--mode", "text", "--approve") as process:
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert "what has begun may still end" in process.stderr.readline() + process.stderr.readline()
        (built / "go").write_text("end now")
        assert process.wait() == 1
    assert (built / "effects").read_text() == "x"
    [last] = run("audit", "tail", "-n", "1", "--json", "--tool", "send_note").stdout.splitlines()
    assert (json.loads(last)["event"], json.loads(last)["ok"]) == ("call_finished", True)


@contextmanager
def begun(folder: Path, *args: str) -> Iterator[subprocess.Popen[str]]:
    """A command whose handler is running: it has said so in the pipe `running`."""
    running = os.open(folder / "running", os.O_RDONLY | os.O_NONBLOCK)
    process = subprocess.Popen(
        [*PROGRAM, *args], cwd=folder, text=True, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    try:
        assert select.select([running], [], [], 30)[0], "the handler was never reached"
        yield process
    finally:
        process.kill()
        process.wait()
        assert process.stderr is not None
        process.stderr.close()
        os.close(running)


# After a kill

SLOW = """\
from pathlib import Path
from ambidex import ok


async def execute(args, context):
    with Path("effects").open("a") as effects:
        effects.write("x")
    if Path("running").exists():
        await context.in_thread(Path("running").write_text, "inside")
        await context.in_thread(Path("never").read_text)
    return ok({"sent": True})
"""
"""Its effect happens; then, while there is a pipe `running`, it says so there and goes on for ever."""


@pytest.mark.threat("K03", "C13")
@pytest.mark.parametrize("gated", [True, False])
def test_after_a_kill_in_the_middle_of_a_write_the_next_call_says_so_and_asks(tmp_path: Path, gated: bool) -> None:
    ambidex(tmp_path, "init", "shop")
    shop = tmp_path / "shop"
    ambidex(shop, "new", "send-note", "--writes")
    (shop / "tools" / "send-note" / "handler.py").write_text(SLOW)
    schema = shop / "tools" / "send-note" / "schema.json"
    schema.write_text(
        schema.read_text().replace('"requiresConfirmation": true', f'"requiresConfirmation": {json.dumps(gated)}')
    )
    ambidex(shop, "build")
    call = ("call", "send-note", NOTE, "--mode", "text")
    kill_inside(shop, *call, "--approve")
    assert (shop / "effects").read_text() == "x"

    told = ambidex(shop, *call, code=1).stderr
    assert "CONFIRMATION_REQUIRED" in told
    assert "was started and its outcome is not known: it may exist already" in told
    assert (shop / "effects").read_text() == "x", "nothing runs again by itself"
    ambidex(shop, *call, "--approve")
    assert (shop / "effects").read_text() == "xx", "the person was told, and wanted it"
    after = ambidex(shop, *call, code=1 if gated else 0).stderr
    assert "outcome is not known" not in after
    assert "the audit is whole" in ambidex(shop, "audit", "verify").stdout


@pytest.mark.threat("K08")
def test_a_write_that_was_killed_gets_its_end_from_the_next_command(built: Path, run: Run) -> None:
    (built / "tools" / "send-note" / "handler.py").write_text(SLOW)
    run("build")
    call = ("call", "send-note", NOTE, "--mode", "text")
    kill_inside(built, *call, "--approve")
    let_the_lease_lapse(built / "ambidex.db")
    run("call", "opening-hours", '{"day": "monday"}', "--mode", "voice")
    lines = [json.loads(line) for line in run("audit", "tail", "--json", "--tool", "send_note").stdout.splitlines()]
    assert [line["event"] for line in lines[-2:]] == ["recovered", "call_finished"]
    assert lines[-1]["errorType"] == "OUTCOME_UNKNOWN"
    assert "it may exist already" in run(*call, code=1).stderr
    assert (built / "effects").read_text() == "x"


def let_the_lease_lapse(path: Path) -> None:
    """As if the time of every call that was begun were up."""
    store = open_store(f"sqlite:{path}")

    def operation(tx: Tx) -> int:
        for place, _ in (found := tx.scan(OPEN)):
            row = tx.get(CALLS, place)
            assert row is not None
            tx.put(CALLS, place, msgspec.structs.replace(row, lease_ms=0))
        return len(found)

    assert store.run(operation) == 1
    store.close()


def kill_inside(folder: Path, *args: str) -> None:
    """`kill -9` while the handler runs."""
    os.mkfifo(folder / "running")
    os.mkfifo(folder / "never")
    with begun(folder, *args) as process:
        process.kill()
    (folder / "running").unlink()
    (folder / "never").unlink()
