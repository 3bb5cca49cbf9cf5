"""A schema that has one of everything a call can get wrong."""

from __future__ import annotations

from typing import Any

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["query", "contact"],
    "properties": {
        "query": {"type": "string", "minLength": 3, "maxLength": 20},
        "top_k": {"type": "integer", "minimum": 1, "maximum": 10},
        "ratio": {"type": "number", "minimum": 0, "maximum": 1},
        "kind": {"type": "string", "enum": ["person", "project", "essay"]},
        "contact": {"type": "string", "format": "email"},
        "fields": {
            "type": "array",
            "items": {"type": "string", "enum": ["title", "snippet", "full_text", "url"]},
            "minItems": 1,
            "uniqueItems": True,
        },
        "filters": {
            "type": "object",
            "additionalProperties": False,
            "required": ["year"],
            "properties": {
                "year": {"type": "integer", "minimum": 1900, "maximum": 2100},
                "place": {"type": "string", "minLength": 2, "maxLength": 12},
            },
        },
    },
}
