"""`ambidex chat`: from a pipe, from a terminal, and for a program; the model is a stand-in behind a real connection."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.cli.test_call import PROGRAM

from ambidex import shipped
from ambidex.cli.main import cli
from ambidex.testing.standins import Call, Calls, OpenAIChatStandin, RateLimited, Say, Script

Run = Callable[..., Result]
SEND = Calls(Call("send_note", {"text": "Bring the form"}))


@contextmanager
def model(script: Script, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIChatStandin]:
    """A stand-in on a loop of its own, for commands have theirs."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    standin = OpenAIChatStandin(script)
    try:
        asyncio.run_coroutine_threadsafe(standin.__aenter__(), loop).result(20)
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        monkeypatch.setenv("AMBIDEX_PROVIDERS_OPENAI_BASE_URL", standin.base_url)
        yield standin
        asyncio.run_coroutine_threadsafe(standin.__aexit__(None, None, None), loop).result(20)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
    assert standin.refused == []


def test_the_answer_goes_to_stdout_and_what_tools_did_to_stderr(
    built: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = [
        Calls(Call("opening_hours", {"day": "monday"}), Call("no_such"), text="Wait."),
        Say("From nine\nto five."),
    ]
    with model(script, monkeypatch):
        result = run("chat", "when are you open?", "--store", "memory:")
    assert result.stdout == "Wait.\nFrom nine\nto five.\n"
    assert "openai, gpt-" in result.stderr
    assert '→ opening_hours {"day": "monday"}' in result.stderr
    assert "✓" in result.stderr
    assert "✗ no_such: NOT_FOUND" in result.stderr


def test_each_line_of_a_pipe_is_a_message_of_one_conversation(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with model([Say("One."), Say("Two.")], monkeypatch) as standin:
        result = CliRunner().invoke(cli, ["chat"], input="first\n\nsecond\n")
    assert (result.exit_code, result.stdout) == (0, "One.\nTwo.\n")
    said = [message["content"] for message in standin.requests[-1]["messages"] if message["role"] != "system"]
    assert said == ["first", "One.", "second"]


def test_a_conversation_is_gone_on_with_by_its_id(built: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with model([Say("One."), Say("Two.")], monkeypatch) as standin:
        first = json.loads(run("chat", "first", "--json").stdout)
        second = json.loads(run("chat", "second", "--json", "--conversation", first["conversation"]).stdout)
    assert second["conversation"] == first["conversation"]
    assert len(standin.requests[-1]["messages"]) == 4


def test_for_a_program_it_is_one_document(built: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with model([Calls(Call("opening_hours", {"day": 3})), Say("Hm.")], monkeypatch):
        told = json.loads(run("chat", "open?", "--json").stdout)
    assert told["ok"] is True
    assert told["provider"] == "openai"
    [turn] = told["turns"]
    assert (turn["said"], turn["text"], turn["ended"]) == ("open?", "Hm.", "stop")
    assert [(call["name"], call["ok"], call["error"]) for call in turn["calls"]] == [
        ("opening_hours", False, "VALIDATION")
    ]


def test_a_turn_that_failed_says_so_and_ends_with_1(built: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with model([RateLimited(3600)] * 2, monkeypatch):
        assert "error: The model gets too many requests" in run("chat", "hi", code=1).stderr
        told = json.loads(run("chat", "hi", "--json", code=1).stdout)
    assert (told["ok"], told["turns"][0]["error"]["type"]) == (False, "rate_limit")


@pytest.mark.threat("C16")
def test_where_nobody_can_be_asked_the_request_waits(built: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with model([SEND], monkeypatch):
        result = run("chat", "send it")
    assert "… send_note waits for your approval" in result.stderr
    assert "ambidex chat --conversation" in result.stderr
    assert "message to you" not in result.stderr


@pytest.mark.threat("L02")
def test_what_a_model_writes_cannot_act_on_the_terminal(built: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with model([Say("\x1b[2Jgone\r\u202e")], monkeypatch):
        assert run("chat", "hi").stdout == "\\x1b[2Jgone\\r\\u202e\n"


def test_a_provider_without_its_key_and_one_that_is_none_are_told(
    built: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    assert "set ANTHROPIC_API_KEY" in run("chat", "hi", "--provider", "anthropic", code=1).stderr
    assert "did you mean 'openai'" in run("chat", "hi", "--provider", "opnai", code=1).stderr


def on_a_terminal(folder: Path, typed: dict[bytes, bytes], *args: str) -> tuple[int, str]:
    """The command in a terminal of its own; each of `typed` is written once its question is seen."""
    ours, theirs = pty.openpty()
    environ = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    process = subprocess.Popen(
        [*PROGRAM, *args], cwd=folder, env=environ, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    )
    os.close(theirs)
    seen, rest = b"", dict(typed)
    while True:
        try:
            seen += os.read(ours, 4096)
        except OSError:
            break
        for question in [question for question in rest if question in seen]:
            os.write(ours, rest.pop(question))
    os.close(ours)
    return process.wait(), seen.decode()


@pytest.mark.threat("C14", "C05")
@pytest.mark.parametrize(("typed", "outcome"), [(b"y\n", "message to you"), (b"n\n", "send_note: declined")])
def test_on_a_terminal_the_person_decides_and_the_model_reads_what_came_of_it(
    built: Path, monkeypatch: pytest.MonkeyPatch, typed: bytes, outcome: str
) -> None:
    with model([SEND, Say("So be it.")], monkeypatch) as standin:
        answers = {b"you> ": b"send it\n", b"[y/N]": typed, b"So be it.": b"\x04"}
        code, seen = on_a_terminal(built, answers, "chat")
    assert code == 0
    assert seen.index('Send "Bring the form"') < seen.index("Do it? [y/N]")
    assert outcome in seen
    assert "Outcome of the earlier call" in standin.requests[-1]["messages"][-1]["content"]


def test_a_ticket_to_voice_is_not_shown_where_nobody_can_use_it(
    project: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(shipped.path() / "tools" / "start-voice-session", project / "tools" / "start-voice-session")
    run("build")
    with model([Calls(Call("start_voice_session", {"pending_request": "book"})), Say("Speak.")], monkeypatch):
        result = run("chat", "let me talk")
    assert "a voice session was offered" in result.stderr
    assert "ticket" not in result.stderr


def test_without_any_key_a_person_asks_approves_and_reads_the_outcome(
    built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The offline provider, as on a fresh machine."""
    for name in ("ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AMBIDEX_KB_EMBEDDER", "none")
    answers = {
        b"you> ": b"send me a note: Bring the form\n",
        b"[y/N]": b"y\n",
        b"Approved and done: send_note": b"write me a poem\n",
        b"outside of what I can do": b"\x04",
    }
    code, seen = on_a_terminal(built, answers, "chat")
    assert code == 0
    assert "offline; conversation " in seen
    assert seen.index("send_note waits for your approval") < seen.index("Do it? [y/N]")
    assert "waits for your approval on the card" not in seen, "it was decided before anything was said about it"
