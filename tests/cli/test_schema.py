"""`ambidex schema`: the declarations, ready to send."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from ambidex import load
from ambidex.contracts.spec import PROVIDERS

Run = Callable[..., Result]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_pipe_gets_the_artifacts_own_bytes(run: Run, built: Path, provider: str) -> None:
    registry = load(built / "tool_registry.json")
    expected = registry.provider_schemas_json(provider, "voice")
    assert run("schema", "--provider", provider, "--mode", "voice").stdout_bytes == expected + b"\n"


def test_without_a_mode_every_tool_is_there(run: Run, built: Path) -> None:
    assert len(json.loads(run("schema").stdout)) == 3


def test_gemini_is_native_in_voice_and_json_schema_in_text(run: Run, built: Path) -> None:
    for mode, provider in (("voice", "geminiNative"), ("text", "geminiJsonSchema")):
        alias = run("schema", "--provider", "gemini", "--mode", mode).stdout
        assert alias == run("schema", "--provider", provider, "--mode", mode).stdout


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_one_tool_is_one_declaration(run: Run, built: Path, provider: str) -> None:
    declaration = json.loads(run("schema", "--provider", provider, "send-note").stdout)
    assert declaration.get("function", declaration)["name"] == "send_note"


def test_a_tool_that_the_mode_does_not_have_is_told(run: Run, built: Path) -> None:
    assert "count_words is not declared in voice" in run("schema", "--mode", "voice", "count_words", code=2).stderr


def test_an_unknown_provider_is_wrong_usage_that_names_the_known(run: Run, built: Path) -> None:
    assert "openaiResponses" in run("schema", "--provider", "opnai", code=2).stderr
