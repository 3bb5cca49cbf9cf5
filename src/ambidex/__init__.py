"""Ambidex: one set of tools for voice and text agents.

The list below is the order to read, the direction imports may point (only up), and the chapters of `docs/`.
A test keeps it true.

    contracts      the words everyone speaks; no I/O
    errors         exceptions, for code rather than for models
    dialect        JSON Schema 2020-12 as we accept it: keywords, formats, validators, canonical bytes
    config         ambidex.toml and AMBIDEX_ variables
    authoring      a tool folder -> Source
    arguments      raw arguments -> canonical arguments, or an answer a model can act on
    adapters       authored schema -> each provider's schema
    compiler       Source -> tool_registry.json
    registry       tool_registry.json -> a locked registry
    stores         where things last: typed spaces, atomic operations, the clock
    audit          one line for every event, chained
    ledger         sessions, turns, calls, confirmations and blocks as rows, and what is done to them
    policy         may this call run, and with which arguments? Gates, and the transaction that decides
    execution      run a handler once; whatever it does, one envelope comes back
    capabilities   what handlers may use
    session        one connection of a conversation
    orchestrator   call -> policy -> execute -> intents -> audit, on one page
    transports     a provider's wire <-> calls and envelopes; one file for each provider
    offline        the provider that needs no key
    agents         the loop around a provider, and the prompt around the tools
    server         HTTP: the chat stream, confirmations, tools, audit, metrics, the page
    shipped        where the tools and prompts that come with the package are
    testing        helpers for those who write tools
    bench          what `ambidex bench` measures
    cli            one file for each command
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ambidex.compiler.compile import build
    from ambidex.compiler.report import BuildReport
    from ambidex.contracts.call import Category, Mode, ToolCall
    from ambidex.contracts.faults import ErrorType
    from ambidex.contracts.intents import Intent
    from ambidex.contracts.problem import Problem
    from ambidex.contracts.response import Fault, ToolResponse
    from ambidex.contracts.result import fail, ok
    from ambidex.contracts.user import User
    from ambidex.errors import AmbidexError, ArtifactError, BuildError, ConfigError, Refused, RegistryLocked, ToolError
    from ambidex.orchestrator import Orchestrator
    from ambidex.registry.load import load
    from ambidex.registry.registry import Registry

__version__ = "0.1.0"

_HOMES = {
    "AmbidexError": "ambidex.errors",
    "ArtifactError": "ambidex.errors",
    "BuildError": "ambidex.errors",
    "BuildReport": "ambidex.compiler.report",
    "Category": "ambidex.contracts.call",
    "ConfigError": "ambidex.errors",
    "ErrorType": "ambidex.contracts.faults",
    "Fault": "ambidex.contracts.response",
    "Intent": "ambidex.contracts.intents",
    "Mode": "ambidex.contracts.call",
    "Orchestrator": "ambidex.orchestrator",
    "Problem": "ambidex.contracts.problem",
    "Refused": "ambidex.errors",
    "Registry": "ambidex.registry.registry",
    "RegistryLocked": "ambidex.errors",
    "ToolCall": "ambidex.contracts.call",
    "ToolError": "ambidex.errors",
    "ToolResponse": "ambidex.contracts.response",
    "User": "ambidex.contracts.user",
    "build": "ambidex.compiler.compile",
    "fail": "ambidex.contracts.result",
    "load": "ambidex.registry.load",
    "ok": "ambidex.contracts.result",
}
"""Public names and where they live: loaded on first use, so that a server never imports the compiler."""

__all__ = [
    "AmbidexError",
    "ArtifactError",
    "BuildError",
    "BuildReport",
    "Category",
    "ConfigError",
    "ErrorType",
    "Fault",
    "Intent",
    "Mode",
    "Orchestrator",
    "Problem",
    "Refused",
    "Registry",
    "RegistryLocked",
    "ToolCall",
    "ToolError",
    "ToolResponse",
    "User",
    "build",
    "fail",
    "load",
    "ok",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'ambidex' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
