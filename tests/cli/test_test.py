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
        '"midnight"',
        '"12 at night"',
        "",
        (),
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
        ("/error", "BAD_RESULT"),
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
