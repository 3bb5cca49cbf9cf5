"""kb_search and kb_get keep the contracts they are published with, nested parameters and limits of voice included."""

from __future__ import annotations

from typing import Any

import pytest
from tests.tools.calling import TOOLS, schema_of

FIELDS = {"type": "string", "enum": ["snippet", "full_text", "metadata", "sources", "url"]}
DATE_TIME = {"type": "string", "format": "date-time"}
PARAMETERS: dict[str, dict[str, Any]] = {
    "kb-search": {
        "query": {"type": "string", "minLength": 1, "maxLength": 200},
        "namespace": {"type": "string", "enum": ["studio", "personal", "public"], "default": "studio"},
        "filters": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "type": {"type": "string", "enum": ["project", "person", "process", "link", "doc"]},
                "tags": {"type": "array", "items": {"type": "string", "minLength": 1}, "maxItems": 5},
                "date_range": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {"start": DATE_TIME, "end": DATE_TIME},
                },
            },
        },
        "top_k": {"type": "integer", "minimum": 1, "maximum": 10, "default": 5},
        "return_fields": {
            "type": "array",
            "items": FIELDS,
            "maxItems": 5,
            "uniqueItems": True,
            "default": ["snippet", "metadata", "url"],
        },
        "include_snippets": {"type": "boolean", "default": True},
    },
    "kb-get": {
        "id": {"type": "string", "minLength": 1, "maxLength": 200},
        "ids": {
            "type": "array",
            "items": {"type": "string", "minLength": 1, "maxLength": 200},
            "minItems": 1,
            "maxItems": 5,
            "uniqueItems": True,
        },
        "return_fields": {
            "type": "array",
            "items": FIELDS,
            "maxItems": 5,
            "uniqueItems": True,
            "default": ["snippet", "full_text", "metadata", "url"],
        },
    },
}
NO_FULL_TEXT = {"exclude": ["full_text"], "otherwise": ["snippet"]}
VOICE = {
    "kb-search": {"top_k": {"maximum": 3}, "return_fields": NO_FULL_TEXT},
    "kb-get": {"return_fields": NO_FULL_TEXT},
}


def undescribed(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {name: undescribed(rule) for name, rule in schema.items() if name != "description"}
    return schema


@pytest.mark.parametrize("folder", PARAMETERS)
def test_the_parameters_are_those_of_the_contract(folder: str) -> None:
    parameters = schema_of(folder)["parameters"]
    assert undescribed(parameters["properties"]) == PARAMETERS[folder]
    assert parameters.get("required", []) == (["query"] if folder == "kb-search" else [])


@pytest.mark.parametrize(("folder", "budget"), [("kb-search", 800), ("kb-get", 500)])
def test_the_metadata_is_that_of_a_look_up_in_text_of_outsiders(folder: str, budget: int) -> None:
    schema = schema_of(folder)
    assert (schema["category"], schema["sideEffects"], schema["idempotent"]) == ("retrieval", "read_only", True)
    assert (schema["allowedModes"], schema["latencyBudgetMs"]) == (["text", "voice"], budget)
    assert schema["requiresConfirmation"] is False
    assert schema["untrusted"] is True
    assert "permissions" not in schema
    assert schema["modeLimits"] == {"voice": VOICE[folder]}


def test_both_show_a_record_in_the_same_way() -> None:
    files = [(TOOLS / folder / "showing.py").read_bytes() for folder in PARAMETERS]
    assert files[0] == files[1]
