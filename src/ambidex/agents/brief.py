"""What a model is told before the conversation: the prompt, and the tools in its provider's form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ambidex.agents.prompts import compose
from ambidex.config import Config, keys
from ambidex.contracts.call import Mode
from ambidex.registry.registry import Registry
from ambidex.transports.base import Facts
from ambidex.transports.nulls import removable


@dataclass(frozen=True, slots=True)
class Brief:
    system: str
    tools: list[dict[str, Any]]
    optional: dict[str, frozenset[str]]


def brief_for(registry: Registry, facts: Facts, config: Config) -> Brief:
    """Raises `ConfigError` naming a prompt file that is missing, `ArtifactError` for tools not built for a provider."""
    directory, most = config[keys.PROMPTS_DIRECTORY], config[keys.PROMPTS_FULL_DOCS_UP_TO]
    system = compose(registry, Mode.TEXT, directory=directory, full_docs_up_to=most)
    tools = registry.provider_schemas(facts.schemas, Mode.TEXT)
    strict = [name for tool in tools if (name := _strict_name(tool))] if facts.strict_nulls else []
    return Brief(system, tools, {name: removable(registry.json_schema(name)) for name in strict})


def _strict_name(tool: dict[str, Any]) -> str | None:
    """The name in a declaration of strict mode, nested or flat."""
    inner = tool.get("function", tool)
    return str(inner["name"]) if inner.get("strict") else None
