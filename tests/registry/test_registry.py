"""What a registry tells, and that nothing can change it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.support.artifacts import PARAMETERS, entry, project, write_artifact

from ambidex.contracts.call import Category, Mode
from ambidex.contracts.spec import PROVIDERS
from ambidex.errors import AmbidexError, ArtifactError, RegistryLocked
from ambidex.registry.load import load
from ambidex.registry.names import UnknownName
from ambidex.registry.registry import Registry

TEXT_ONLY: dict[str, Any] = {"allowedModes": ["text"], "category": "action", "sideEffects": "writes"}


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    return load(write_artifact(tmp_path, entry("kb_search"), entry("kb_get"), entry("send_note", **TEXT_ONLY)))


def test_tools_are_listed_by_mode_and_category(registry: Registry) -> None:
    assert registry.tool_ids() == ("kb_get", "kb_search", "send_note")
    assert registry.tool_ids("voice") == registry.tool_ids(Mode.VOICE) == ("kb_get", "kb_search")
    assert registry.tools_by_category("action") == registry.tools_by_category(Category.ACTION) == ("send_note",)
    assert len(registry) == 3
    assert "1.0." in repr(registry)


def test_summaries_have_id_category_and_summary(registry: Registry) -> None:
    assert [summary.tool_id for summary in registry.summaries("voice")] == ["kb_get", "kb_search"]
    assert registry.summaries("text")[2] == ("send_note", "action", "Summary of send_note.")


def test_documentation_phrases_and_schema_are_decoded(registry: Registry) -> None:
    assert registry.documentation("kb_get") == "# kb_get\n\nWords."
    assert registry.phrases("kb_get") == ["please kb_get"]
    assert registry.json_schema("kb_get") == PARAMETERS


def test_metadata_is_camel_case_and_without_what_is_large(tmp_path: Path) -> None:
    limits = {"voice": {"top_k": {"maximum": 3}}}
    rate = {"calls": 3, "windowMs": 1000, "per": "user"}
    path = write_artifact(tmp_path, entry(modeLimits=limits, rateLimit=rate, response={"type": "object"}))
    facts = load(path).metadata("kb_search")
    assert facts["toolId"] == "kb_search"
    assert facts["latencyBudgetMs"] == 800
    assert facts["allowedModes"] == ["text", "voice"]
    assert facts["modeLimits"] == limits
    assert facts["rateLimit"] == rate
    assert facts["response"] == {"type": "object"}
    assert facts["untrusted"] is False
    assert "confirmWhen" not in facts
    assert not {"jsonSchema", "providerSchemas", "documentation", "files"} & set(facts)
    assert json.loads(json.dumps(facts)) == facts


@pytest.mark.parametrize("provider", PROVIDERS)
def test_provider_schemas_are_the_bytes_of_the_artifact(registry: Registry, provider: str) -> None:
    schemas = registry.provider_schemas(provider, "voice")
    assert [(schema["name"], schema["for"]) for schema in schemas] == [("kb_get", provider), ("kb_search", provider)]
    assert msgspec.json.decode(registry.provider_schemas_json(provider, Mode.VOICE)) == schemas


def test_gemini_is_native_but_in_text(registry: Registry) -> None:
    assert registry.provider_schemas("gemini", "text")[0]["for"] == "geminiJsonSchema"
    assert registry.provider_schemas("gemini", "voice")[0]["for"] == "geminiNative"
    assert registry.provider_schemas("gemini")[0]["for"] == "geminiNative"


def test_a_tool_without_a_schema_for_a_provider_is_named(tmp_path: Path) -> None:
    registry = load(write_artifact(tmp_path, entry(providerSchemas={"openai": {}})))
    assert registry.provider_schemas() == [{}]
    with pytest.raises(ArtifactError, match="kb_search has no schema for the provider anthropic"):
        registry.provider_schemas("anthropic")


def test_unknown_names_give_the_nearest(registry: Registry) -> None:
    with pytest.raises(KeyError, match="there is no tool 'kb_serch'; nearest are kb_search"):
        registry.metadata("kb_serch")
    with pytest.raises(UnknownName, match="there is no provider 'openia'; nearest are openai"):
        registry.provider_schemas("openia")
    with pytest.raises(UnknownName, match="there is no category 'actoin'; nearest are action"):
        registry.tools_by_category("actoin")
    with pytest.raises(UnknownName, match="there is no mode 'vioce'; nearest are voice"):
        registry.tool_ids("vioce")


@pytest.mark.threat("V12")
@pytest.mark.parametrize(
    "name",
    [
        "KB_SEARCH",
        "kb_search ",
        "kb_search\n",
        "\uff4bb_search",
        "\u043ab_search",
        "kb\u200b_search",
        "kb-search",
        "",
        "x" * 999,
        None,
        5,
        [],
    ],
)
def test_a_name_matches_exactly_or_not_at_all(registry: Registry, name: Any) -> None:
    assert name not in registry
    for lookup in (registry.metadata, registry.documentation, registry.json_schema, registry.phrases, registry._tool):
        with pytest.raises(UnknownName):
            lookup(name)


def test_a_locked_registry_is_its_own_snapshot_and_an_unlocked_one_has_none(tmp_path: Path) -> None:
    registry = load(write_artifact(tmp_path), lock=False)
    assert not registry.locked
    with pytest.raises(AmbidexError, match="lock"):
        registry.snapshot()
    registry.lock()
    assert registry.snapshot() is registry


def test_reload_reads_the_file_anew_unless_locked(tmp_path: Path) -> None:
    old = load(write_artifact(tmp_path), lock=False)
    write_artifact(tmp_path, entry("kb_get"))
    new = old.reload()
    assert (list(old), list(new)) == (["kb_search"], ["kb_get"])
    assert not new.locked
    new.lock()
    with pytest.raises(RegistryLocked, match=new.version):
        new.reload()


def spoil(value: Any) -> None:
    """Changes everything inside a value that can be changed."""
    if isinstance(value, dict):
        for item in value.values():
            spoil(item)
        value.clear()
        value["spoilt"] = True
    elif isinstance(value, list):
        for item in value:
            spoil(item)
        value.append("spoilt")


READS: dict[str, Callable[[Registry], Any]] = {
    "metadata": lambda r: r.metadata("kb_get"),
    "json_schema": lambda r: r.json_schema("kb_get"),
    "phrases": lambda r: r.phrases("kb_get"),
    "provider_schemas": lambda r: r.provider_schemas("openai", "text"),
    "summaries": lambda r: r.summaries("text"),
    "tool_ids": lambda r: r.tool_ids(),
    "tools_by_category": lambda r: r.tools_by_category("retrieval"),
    "iteration": lambda r: list(r),
}


@pytest.mark.threat("A11")
@pytest.mark.parametrize("read", READS)
def test_changing_what_was_handed_out_changes_nothing_inside(registry: Registry, read: str) -> None:
    before = READS[read](registry)
    spoil(READS[read](registry))
    assert READS[read](registry) == before


PUBLIC = [name for name in dir(Registry) if not name.startswith("_")]


@pytest.mark.threat("A11")
@pytest.mark.parametrize("name", [*PUBLIC, "new_attribute", "_locked", "_specs", "_tools", "__class__"])
def test_no_attribute_can_be_set_or_deleted(registry: Registry, name: str) -> None:
    with pytest.raises(RegistryLocked):
        setattr(registry, name, None)
    with pytest.raises(RegistryLocked):
        delattr(registry, name)
    assert registry.locked
    assert len(registry) == 3


@pytest.mark.threat("A11")
def test_a_registry_offers_no_way_to_put_or_remove_a_tool(registry: Registry) -> None:
    for change in (
        lambda: registry.__setitem__("x", 1),  # type: ignore[index]
        lambda: registry.__delitem__("kb_get"),  # type: ignore[attr-defined]
        lambda: registry.tool_ids().append("x"),  # type: ignore[attr-defined]
        lambda: vars(registry).clear(),
    ):
        with pytest.raises((AttributeError, TypeError)):
            change()
    assert registry.tool_ids() == ("kb_get", "kb_search", "send_note")


@pytest.mark.threat("A11")
def test_specs_and_tools_are_read_only(registry: Registry) -> None:
    tool = registry._tool("kb_get")
    for name in ("spec", "plan", "execute"):
        with pytest.raises(AttributeError):
            setattr(tool, name, None)
    with pytest.raises(AttributeError):
        tool.spec.requires_confirmation = True  # type: ignore[misc]


@pytest.mark.threat("A11")
def test_nothing_public_unlocks(registry: Registry) -> None:
    registry.lock()
    assert registry.snapshot().locked
    with pytest.raises(RegistryLocked):
        registry.reload()


def test_a_tools_plan_is_made_once_from_its_schema_and_limits(tmp_path: Path) -> None:
    registry = load(project(tmp_path, modeLimits={"voice": {"top_k": {"maximum": 3}}}))
    tool = registry._tool("kb_search")
    assert tool.plan is registry._tool("kb_search").plan
    answer: Any = tool.plan.prepare('{"query": "x"}', Mode.VOICE)
    assert answer.args == {"query": "x", "top_k": 3}
