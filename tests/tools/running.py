"""Runs one call of a shipped tool as a scenario describes it: schema, defaults, handler, answer; no pipeline."""

from __future__ import annotations

import copy
import importlib
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any
from unittest.mock import patch

import msgspec
from tests.tools.plain_context import PlainContext, Traces

from ambidex.contracts.faults import ErrorType
from ambidex.contracts.response import ToolResponse
from ambidex.contracts.result import fail
from ambidex.dialect.validator import compile_schema
from ambidex.errors import ToolError

TOOLS = Path(__file__).parents[2] / "tools"
FOLDERS = sorted(path.parent.name for path in TOOLS.glob("*/schema.json"))


@dataclass(frozen=True)
class Outcome:
    answer: dict[str, Any]
    """The envelope as it stands on the wire."""
    traces: Traces


@cache
def schema_of(folder: str) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads((TOOLS / folder / "schema.json").read_text("utf-8"))
    return schema


@cache
def module_of(folder: str, name: str = "handler") -> ModuleType:
    """A module of a tool's folder, imported as part of a package so that its siblings are found relatively."""
    package = f"shipped_{folder.replace('-', '_')}"
    if package not in sys.modules:
        parent = ModuleType(package)
        parent.__path__ = [str(TOOLS / folder)]
        sys.modules[package] = parent
    return importlib.import_module(f"{package}.{name}")


async def run(folder: str, args: Mapping[str, Any], given: Mapping[str, Any]) -> Outcome:
    traces = Traces()
    response = await _respond(folder, args, given, traces)
    answer: dict[str, Any] = json.loads(msgspec.json.encode(response))
    _check_contract(schema_of(folder), answer)
    return Outcome(answer, traces)


async def _respond(folder: str, args: Mapping[str, Any], given: Mapping[str, Any], traces: Traces) -> ToolResponse:
    schema = schema_of(folder)
    if given["mode"] not in schema["allowedModes"]:
        return fail(ErrorType.MODE_RESTRICTED, f"{schema['toolId']} is not for {given['mode']}")
    if not compile_schema(schema["parameters"]).is_valid(dict(args)):
        return fail(ErrorType.VALIDATION, "the arguments break the schema")
    context = PlainContext(schema["toolId"], given, traces)
    with _world(module_of(folder), given):
        try:
            response: ToolResponse = await module_of(folder).execute(_with_defaults(schema, args), context)
            return response
        except ToolError as error:
            return error.response


def _with_defaults(schema: Mapping[str, Any], args: Mapping[str, Any]) -> Mapping[str, Any]:
    properties = schema["parameters"]["properties"]
    defaults = {name: copy.deepcopy(rules["default"]) for name, rules in properties.items() if "default" in rules}
    return MappingProxyType(defaults | dict(args))


@contextmanager
def _world(handler: ModuleType, given: Mapping[str, Any]) -> Iterator[None]:
    """The clock that the scenario fixes, and packages that it says are not installed."""
    absent: dict[str, Any] = dict.fromkeys(given.get("missing", []))
    with patch.dict(sys.modules, absent):
        if "now" in given and hasattr(handler, "_now"):
            with patch.object(handler, "_now", lambda: datetime.fromisoformat(given["now"])):
                yield
        else:
            yield


def _check_contract(schema: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
    """What the pipeline will check of every answer: declared intents, and data that satisfies `response`."""
    assert {intent["type"] for intent in answer.get("intents", ())} <= set(schema.get("intents", ()))
    if answer["ok"]:
        compile_schema(schema["response"]).validate(answer["data"])


def differences(outcome: Outcome, expect: Mapping[str, Any]) -> list[str]:
    """How the outcome departs from a scenario's `expect`; empty when it does not."""
    answer, traces = outcome.answer, outcome.traces
    actual = {"ok": answer["ok"], "data": answer.get("data"), "intents": answer.get("intents", [])}
    actual |= {"notices": answer.get("notices", []), "sent": traces.sent, "audit": traces.audit}
    problems = [
        f"{name}: expected {expect[name]!r}, got {actual[name]!r}"
        for name in actual
        if name in expect and actual[name] != expect[name]
    ]
    for name, whole in (("dataIncludes", answer.get("data")), ("error", answer.get("error"))):
        if name in expect and not includes(whole, expect[name]):
            problems.append(f"{name}: {expect[name]!r} is not in {whole!r}")
    return problems


def includes(whole: Any, part: Any) -> bool:
    """Whether every member that `part` names is so in `whole`; lists are compared whole, member by member."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(key in whole and includes(whole[key], part[key]) for key in part)
    if isinstance(part, list):
        return isinstance(whole, list) and len(whole) == len(part) and all(map(includes, whole, part))
    return bool(whole == part)
