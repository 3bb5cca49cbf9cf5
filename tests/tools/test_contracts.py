"""The shipped tools keep the contracts they are published with: one row for each, as the table of tools has it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.tools.calling import FOLDERS, TOOLS, schema_of

import ambidex
from ambidex.dialect.keywords import walk

TEXT, VOICE, BOTH = ["text"], ["voice"], ["text", "voice"]
ENDS_VOICE, SILENCES, HANDS_OVER = "END_VOICE_SESSION", "SUPPRESS_AUDIO", "SET_PENDING_MESSAGE"


class Row(NamedTuple):
    category: str
    side_effects: str
    idempotent: bool
    modes: list[str]
    budget: int
    downstream: str | None = None
    intents: tuple[str, ...] = ()
    safe_after_untrusted: bool = False


TABLE = {
    "ignore-user": Row("action", "writes", False, BOTH, 1000, "natural", (ENDS_VOICE, SILENCES), True),
    "start-voice-session": Row("action", "writes", False, TEXT, 500, "natural", (HANDS_OVER,), True),
    "end-voice-session": Row("action", "none", True, VOICE, 500, None, (ENDS_VOICE,)),
    "image-draft-prompt": Row("utility", "none", True, TEXT, 1500),
    "extract-contacts": Row("utility", "none", True, TEXT, 200),
    "format-datetime": Row("utility", "none", True, BOTH, 100),
    "reg-describe": Row("retrieval", "none", True, BOTH, 200),
}

PARAMETERS: dict[str, dict[str, dict[str, Any]]] = {
    "ignore-user": {
        "duration_seconds": {"type": "number", "minimum": 30, "maximum": 86400},
        "farewell_message": {"type": "string", "maxLength": 200},
    },
    "start-voice-session": {"pending_request": {"type": "string", "maxLength": 500, "default": ""}},
    "end-voice-session": {
        "reason": {"type": "string", "maxLength": 100, "default": "user_requested"},
        "closing_message": {"type": ["string", "null"], "maxLength": 200, "default": None},
        "text_response": {"type": ["string", "null"], "maxLength": 4000, "default": None},
    },
    "image-draft-prompt": {
        "brief": {"type": "string", "maxLength": 1000},
        "style": {"type": "string", "maxLength": 100},
        "variants": {"type": "integer", "minimum": 1, "maximum": 4, "default": 3},
    },
    "extract-contacts": {
        "text": {"type": "string", "maxLength": 20000},
        "default_region": {"type": "string", "minLength": 2, "maxLength": 2},
    },
    "format-datetime": {
        "value": {"type": "string", "format": "date-time"},
        "timezone": {"type": "string", "maxLength": 64},
        "locale": {"type": "string", "maxLength": 35, "default": "en"},
        "style": {"type": "string", "enum": ["short", "long", "spoken", "relative"], "default": "long"},
    },
    "reg-describe": {"toolId": {"type": "string", "minLength": 1, "maxLength": 64}},
}

REQUIRED = {
    "ignore-user": ["duration_seconds", "farewell_message"],
    "image-draft-prompt": ["brief"],
    "extract-contacts": ["text"],
    "format-datetime": ["value"],
    "reg-describe": ["toolId"],
}


@pytest.mark.parametrize("folder", TABLE)
def test_the_metadata_is_that_of_the_table(folder: str) -> None:
    schema = schema_of(folder)
    row = Row(
        schema["category"],
        schema["sideEffects"],
        schema["idempotent"],
        schema["allowedModes"],
        schema["latencyBudgetMs"],
        schema.get("downstream"),
        tuple(schema.get("intents", ())),
        schema.get("safeAfterUntrusted", False),
    )
    assert row == TABLE[folder]
    assert schema["toolId"] == folder.replace("-", "_")
    assert schema["requiresConfirmation"] is False
    assert "permissions" not in schema
    assert schema["tags"]


@pytest.mark.parametrize("folder", TABLE)
def test_the_parameters_are_those_of_the_contract(folder: str) -> None:
    parameters = schema_of(folder)["parameters"]
    undescribed = {
        name: {rule: value for rule, value in rules.items() if rule != "description"}
        for name, rules in parameters["properties"].items()
    }
    assert undescribed == PARAMETERS[folder]
    assert parameters.get("required", []) == REQUIRED.get(folder, [])


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_parameter_is_described_and_says_its_longest_length(folder: str) -> None:
    for name, rules in schema_of(folder)["parameters"]["properties"].items():
        assert len(rules["description"]) > 20, name
        if rules.get("maxLength", 0) >= 100:
            # Most providers do not carry maxLength, so the model would not learn of it otherwise.
            assert f"At most {rules['maxLength']} characters." in rules["description"], name


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_object_says_whether_it_is_closed_and_every_parameter_object_is(folder: str) -> None:
    schema = schema_of(folder)
    for pointer, node in walk(schema["parameters"]):
        if isinstance(node, dict) and node.get("type") == "object":
            assert node.get("additionalProperties") is False, pointer
    for pointer, node in walk(schema["response"]):
        if isinstance(node, dict) and node.get("type") == "object":
            assert "additionalProperties" in node, pointer


def test_all_shipped_tools_build_strictly_for_every_provider(tmp_path: Path) -> None:
    report = ambidex.build(TOOLS, tmp_path / "tool_registry.json", strict=True)
    assert {folder.replace("-", "_") for folder in TABLE} <= set(report.tools)
    assert list(report.warnings) == []
