"""Tool folders of realistic size, as many as asked: what a company's own registry would hold."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

_VERBS = "find get list create update archive send schedule compare translate summarise check".split()
_NOUNS = "invoice order customer shipment ticket contract meeting report product payment project candidate".split()
_PLACES = "berlin lisbon oslo kyoto quito dakar lima perth bergen tallinn".split()


def generate(root: Path, count: int, *, seed: int = 7) -> None:
    """`count` folders under `root`, each with a schema of eight parameters, a full guide and a handler."""
    rng = random.Random(seed)  # noqa: S311 - repeatable, not secret
    for index in range(count):
        verb, noun, place = rng.choice(_VERBS), rng.choice(_NOUNS), rng.choice(_PLACES)
        name = f"{verb}-{noun}-{place}-{index}"
        folder = root / name
        folder.mkdir(parents=True)
        (folder / "schema.json").write_text(json.dumps(_schema(name, verb, noun, index), indent=2))
        (folder / "guide.md").write_text(_guide(name, verb, noun))
        (folder / "handler.py").write_text(_handler(noun))


def _schema(name: str, verb: str, noun: str, index: int) -> dict[str, Any]:
    writes = verb in ("create", "update", "archive", "send", "schedule")
    return {
        "toolId": name.replace("-", "_"),
        "version": f"1.{index % 10}.0",
        "description": f"{verb.capitalize()} a {noun} in the company's system and return what the system holds of it.",
        "category": "action" if writes else "retrieval",
        "sideEffects": "writes" if writes else "read_only",
        "idempotent": not writes,
        "requiresConfirmation": writes,
        "allowedModes": ["text"] if writes else ["text", "voice"],
        "latencyBudgetMs": 3000 if writes else 700,
        "tags": [verb, noun],
        "parameters": {
            "type": "object",
            "additionalProperties": False,
            "required": ["query"],
            "properties": _properties(noun),
        },
    }


def _properties(noun: str) -> dict[str, Any]:
    return {
        "query": {"type": "string", "minLength": 1, "maxLength": 200, "description": f"Which {noun}, in plain words."},
        "ids": {
            "type": "array",
            "items": {"type": "string", "minLength": 1, "maxLength": 64},
            "maxItems": 10,
            "description": f"Ids of the {noun}s, when they are known already.",
        },
        "status": {
            "type": "string",
            "enum": ["open", "closed", "pending", "cancelled"],
            "default": "open",
            "description": f"Only {noun}s in this state.",
        },
        "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10, "description": "At most so many."},
        "since": {"type": "string", "format": "date-time", "description": "Only those changed since, with zone."},
        "contact": {
            "type": "object",
            "additionalProperties": False,
            "required": ["name"],
            "properties": {
                "name": {"type": "string", "maxLength": 120, "description": "Full name of the contact."},
                "role": {"type": "string", "enum": ["owner", "buyer", "support"], "description": "Their part in it."},
            },
            "description": f"The person the {noun} belongs to.",
        },
        "amount": {"type": "number", "minimum": 0, "maximum": 100000, "description": "Least amount in euros."},
        "include_history": {"type": "boolean", "default": False, "description": "Whether to return past changes."},
    }


def _guide(name: str, verb: str, noun: str) -> str:
    return f"""# {name}

## Summary
{verb.capitalize()}s a {noun} in the company's system. Use it when the user speaks of a certain {noun} or names its id.

## Preconditions
- The user is signed in and may see {noun}s.
- Either a description of the {noun} or its id is known. Ask when neither is.
- Dates are absolute and carry a zone; turn "last week" into one before the call.

## Postconditions
- The answer holds the {noun}s that match, newest first, each with its id, state and last change.
- Nothing was changed in the system unless the answer says so.
- When several {noun}s match equally well, all of them are returned, up to the limit.

## Invariants
- The same call gives the same answer while the system does not change.
- Ids are never reused.

## Failure Modes
- **VALIDATION**: a parameter is missing or out of range; correct it and call again.
- **NOT_FOUND**: no {noun} has this id; search by description instead.
- **AUTH**: the user may not see this {noun}; say so and stop.
- **TRANSIENT**: the system does not answer; try again once, then tell the user.

## Examples
User: can you {verb} the {noun} for the spring campaign?
User: {verb} {noun} 4711 please
User: what about the {noun} we talked about yesterday?

```json
{{"query": "spring campaign", "status": "open", "limit": 5}}
```

```json
{{"query": "from yesterday", "since": "2026-03-01T00:00:00Z", "contact": {{"name": "Ada Park", "role": "owner"}}}}
```

## Common Mistakes (Do Not)
- Do not guess ids; search first.
- Do not ask for history unless the user wants it: it is long.
- Do not pass relative dates.
"""


def _handler(noun: str) -> str:
    return f'''"""Looks up {noun}s and shapes the answer."""

from ambidex import ErrorType, fail, ok

FIELDS = ("id", "state", "changed", "owner", "amount")


def shape(record, include_history):
    answer = {{field: record.get(field) for field in FIELDS}}
    if include_history:
        answer["history"] = record.get("history", [])
    return answer


async def execute(args, context):
    if not context.has("kb"):
        return fail(ErrorType.TRANSIENT, "the {noun} system is not connected", retryable=True)
    found = await context.kb.search(args["query"], limit=args["limit"])
    records = [record for record in found if record.get("state") == args["status"]]
    if args.get("ids"):
        wanted = set(args["ids"])
        records = [record for record in records if record["id"] in wanted]
    return ok({{"results": [shape(record, args["include_history"]) for record in records]}})
'''
