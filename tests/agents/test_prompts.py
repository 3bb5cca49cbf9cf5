"""The system prompt: its order, what it holds, and what it must never hold."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ambidex import shipped
from ambidex.agents.loop import LOOP
from ambidex.agents.prompts import PROMPT_FILES, compose
from ambidex.contracts.call import Mode
from ambidex.errors import ConfigError
from ambidex.registry.registry import Registry

MakeRegistry = Callable[..., Registry]
SUMMARY = (
    "Finds entries that mention the words of a query. "
    "Use it before answering anything that the entries may know better."
)


def test_a_voice_prompt_to_the_letter(registry_of: MakeRegistry, prompts: Path) -> None:
    registry = registry_of("find-it", "text-only")
    assert compose(registry, "voice", directory=prompts) == (
        "You are honest.\n\n## Citations\n\nCite ids.\n\n"
        "Speak briefly.\n\n"
        f"# Available Tools (v{registry.version})\n\n"
        f"**find_it** (retrieval): {SUMMARY}\n\n"
        f"{LOOP[Mode.VOICE]}\n"
    )


def test_a_text_prompt_has_the_documentation_between_list_and_loop(registry_of: MakeRegistry, prompts: Path) -> None:
    registry = registry_of("find-it", "text-only")
    text = compose(registry, Mode.TEXT, directory=prompts)
    parts = [
        "You are honest.",
        "Write clearly.",
        f"# Available Tools (v{registry.version})",
        "**find_it** (retrieval): ",
        "**text_only** (retrieval): ",
        "# Documentation of find_it\n\n" + registry.documentation("find_it").strip(),
        "# Documentation of text_only\n\n",
        LOOP[Mode.TEXT],
    ]
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


def test_full_documentation_stops_at_the_limit(registry_of: MakeRegistry, prompts: Path) -> None:
    registry = registry_of("one", "two", "three")
    assert "## Failure Modes" in compose(registry, "text", directory=prompts, full_docs_up_to=3)
    assert "## Failure Modes" not in compose(registry, "text", directory=prompts, full_docs_up_to=2)


def test_the_limit_counts_the_tools_of_the_mode_and_is_six_by_default(registry_of: MakeRegistry, prompts: Path) -> None:
    registry = registry_of(*(f"text-{name}" for name in "abcdefg"))
    assert "## Failure Modes" not in compose(registry, "text", directory=prompts)
    assert "## Failure Modes" in compose(registry, "text", directory=prompts, full_docs_up_to=7)


def test_voice_never_has_documentation_however_few_the_tools(registry_of: MakeRegistry, prompts: Path) -> None:
    assert "## Failure Modes" not in compose(registry_of("one"), "voice", directory=prompts, full_docs_up_to=100)


@pytest.mark.parametrize("mode", Mode)
def test_neither_metadata_nor_schemas_are_in_it(registry_of: MakeRegistry, prompts: Path, mode: Mode) -> None:
    registry = registry_of("one")
    text = compose(registry, mode, directory=prompts)
    for word in ("latencyBudgetMs", "sideEffects", "additionalProperties", '"type": "object"'):
        assert word not in text
    assert json.dumps(registry.json_schema("one")["properties"]["query"]) not in text


def test_a_registry_without_tools_in_a_mode_still_has_a_prompt(registry_of: MakeRegistry, prompts: Path) -> None:
    registry = registry_of("text-only")
    text = compose(registry, "voice", directory=prompts)
    assert f"# Available Tools (v{registry.version})\n\n{LOOP[Mode.VOICE]}" in text


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("# Title\ntext\n", "text"),
        ("\n\n### Title\n\ntext\n", "text"),
        ("\ufeff# Title\ntext", "text"),
        ("text\n\n# Later\n\nmore", "text\n\n# Later\n\nmore"),
        ("#hashtag is no heading", "#hashtag is no heading"),
        ("# One\n# Two\ntext", "# Two\ntext"),
        ("# Only a title", ""),
    ],
)
def test_only_the_title_of_a_file_is_dropped(registry_of: MakeRegistry, prompts: Path, written: str, kept: str) -> None:
    (prompts / "core.md").write_text(written, encoding="utf-8")
    text = compose(registry_of("one"), "voice", directory=prompts)
    assert text.startswith(f"{kept}\n\nSpeak briefly." if kept else "Speak briefly.")


@pytest.mark.parametrize("mode", Mode)
def test_a_missing_prompt_file_is_named(registry_of: MakeRegistry, prompts: Path, mode: Mode) -> None:
    gone = prompts / f"{mode}-behavior.md"
    gone.unlink()
    with pytest.raises(ConfigError, match=str(gone)):
        compose(registry_of("one"), mode, directory=prompts)


@pytest.mark.parametrize("mode", Mode)
def test_the_loop_is_the_same_five_steps_in_both_modes(mode: Mode) -> None:
    steps = [line for line in LOOP[mode].splitlines() if line[:2] in ("1.", "2.", "3.", "4.", "5.")]
    assert len(steps) == 5
    assert "Never guess what can be retrieved." in LOOP[mode]
    assert ("top_k 3" in LOOP[mode]) == (mode is Mode.VOICE)


@pytest.mark.parametrize("mode", Mode)
def test_the_shipped_prompts_compose(registry_of: MakeRegistry, mode: Mode) -> None:
    directory = shipped.path() / "prompts"
    text = compose(registry_of("one"), mode, directory=directory)
    for name in PROMPT_FILES:
        title = (directory / name).read_text().lstrip().splitlines()[0]
        assert title.startswith("# ")
        assert title not in text.splitlines()
