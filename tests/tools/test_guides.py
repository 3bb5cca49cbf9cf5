"""The guides are complete, true to their schemas, and hide nothing."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.tools.calling import FOLDERS, TOOLS, schema_of

from ambidex.authoring.guide import SECTIONS, Guide, read_guide
from ambidex.contracts.faults import ErrorType
from ambidex.dialect.text import hidden_characters
from ambidex.dialect.validator import compile_schema

PROMPTS = sorted((TOOLS.parent / "prompts").glob("*.md"))
LONGEST_SUMMARY = 250


def guide_of(folder: str) -> Guide:
    return read_guide((TOOLS / folder / "guide.md").read_text("utf-8"), "guide.md")


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_guide_has_every_section_in_order(folder: str) -> None:
    sections = guide_of(folder).sections
    assert list(sections) == list(SECTIONS)
    assert list(sections.values()) == sorted(sections.values())


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.threat("A08")
def test_a_summary_is_short_enough_to_be_the_only_thing_a_voice_model_sees(folder: str) -> None:
    assert 80 <= len(guide_of(folder).summary) <= LONGEST_SUMMARY


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_example_satisfies_the_schema_it_illustrates(folder: str) -> None:
    schema = schema_of(folder)
    calls, envelopes = 0, 0
    for example in guide_of(folder).examples:
        value = json.loads(example.text)
        if "ok" not in value:
            compile_schema(schema["parameters"]).validate(value)
            calls += 1
        else:
            envelopes += 1
            if value["ok"]:
                compile_schema(schema["response"]).validate(value["data"])
    assert calls
    assert envelopes


@pytest.mark.parametrize("folder", FOLDERS)
def test_there_are_at_least_six_different_phrases(folder: str) -> None:
    phrases = {phrase.casefold() for phrase in guide_of(folder).phrases}
    assert len(phrases) >= 6


def test_no_phrase_asks_for_two_tools() -> None:
    phrases = [phrase.casefold() for folder in FOLDERS for phrase in guide_of(folder).phrases]
    assert len(phrases) == len(set(phrases))


@pytest.mark.parametrize("folder", FOLDERS)
def test_failure_modes_are_real_error_types_each_named_once(folder: str) -> None:
    named = re.findall(r"^- \*\*([A-Z_]+)\*\*: .+;", guide_of(folder).text, re.MULTILINE)
    assert len(named) == len(set(named))
    assert set(named) <= {str(kind) for kind in ErrorType}
    assert "VALIDATION" in named


@pytest.mark.threat("A08")
@pytest.mark.parametrize(
    "path",
    [*(TOOLS / folder / "guide.md" for folder in FOLDERS), *PROMPTS],
    ids=lambda path: f"{path.parent.name}:{path.stem}",
)
def test_what_the_model_reads_hides_nothing(path: Path) -> None:
    text = path.read_text("utf-8")
    assert hidden_characters(text) == []
    assert "<!--" not in text


def test_the_prompts_leave_tools_and_the_loop_to_the_code_that_appends_them() -> None:
    assert [path.name for path in PROMPTS] == ["core.md", "text-behavior.md", "voice-behavior.md"]
    ids = [schema_of(folder)["toolId"] for folder in FOLDERS]
    for path in PROMPTS:
        text = path.read_text("utf-8")
        assert text.startswith("# "), "the first heading is dropped when the prompt is composed"
        if path.stem != "core":
            # Without a heading of its own it would read as the end of core's last section.
            assert text.splitlines()[2].startswith("## ")
        assert not any(tool_id in text for tool_id in ids), "a changed tool never needs a changed prompt"
        assert "Available Tools" not in text
