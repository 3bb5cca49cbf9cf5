"""The published schemas and the contracts in code are one thing said twice; these tests keep them equal."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from tests.support.folders import REQUIRED

from ambidex.contracts import schemas
from ambidex.contracts.spec import PROVIDERS, Artifact, ToolSpec
from ambidex.dialect.validator import compile_schema


def fields(struct: type[msgspec.Struct]) -> set[str]:
    return set(struct.__struct_encode_fields__)


@pytest.mark.parametrize("name", [schemas.TOOL, schemas.ARTIFACT, schemas.RESPONSE])
def test_a_published_schema_is_a_schema(name: str) -> None:
    compile_schema(schemas.schema(name))


def test_the_artifact_schema_has_the_members_of_the_contract() -> None:
    published = schemas.schema(schemas.ARTIFACT)
    assert set(published["properties"]) == fields(Artifact)
    assert set(published["$defs"]["tool"]["properties"]) == fields(ToolSpec)
    assert tuple(published["$defs"]["tool"]["properties"]["providerSchemas"]["propertyNames"]["enum"]) == PROVIDERS


def test_members_that_a_contract_requires_are_required_by_the_schema() -> None:
    required = {f.encode_name for f in msgspec.structs.fields(ToolSpec) if f.required}
    assert set(schemas.schema(schemas.ARTIFACT)["$defs"]["tool"]["required"]) == required


def test_the_smallest_tool_satisfies_the_published_schema_and_each_field_is_needed() -> None:
    check = compile_schema(schemas.schema(schemas.TOOL))
    assert check.is_valid(REQUIRED)
    for name in REQUIRED:
        assert not check.is_valid({key: value for key, value in REQUIRED.items() if key != name})


def test_every_field_an_author_may_write_is_described_or_named_by_its_values() -> None:
    bare = [
        name
        for name, schema in schemas.schema(schemas.TOOL)["properties"].items()
        if not ({"description", "enum", "properties", "items"} & schema.keys())
    ]
    assert bare == []


@pytest.mark.parametrize(
    ("field", "good", "bad"),
    [
        ("toolId", "kb_search", ["KbSearch", "9a", "a" * 65, "kb-search", "kb_search\n", "кb"]),
        ("version", "1.2.3-rc.1+5", ["1", "1.0", "01.0.0", "v1.0.0"]),
        ("rateLimit", {"calls": 3, "windowMs": 1000, "per": "session"}, [{}, {"calls": 0, "windowMs": 1}, 5]),
        ("redact", ["args.a.b", "data.items.*.x"], [["password"], ["args"], "args.a"]),
        ("acknowledge", ["AX118"], [["118"], ["AX1"]]),
        ("modeLimits", {"voice": {"n": {"maximum": 3}}}, [{"video": {}}, {"voice": {"n": {}}}, {"voice": 5}]),
    ],
)
def test_fields_take_what_they_mean_and_nothing_else(field: str, good: Any, bad: list[Any]) -> None:
    check = compile_schema(schemas.schema(schemas.TOOL))
    assert check.is_valid({**REQUIRED, field: good})
    for value in bad:
        assert not check.is_valid({**REQUIRED, field: value}), value
