"""Do the fields of schema.json say something that can be meant?

Shapes are checked by the published schema that editors use, so that the two cannot disagree; what a schema cannot say
is checked below.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from ambidex.authoring.finding import Finding
from ambidex.authoring.source import Source
from ambidex.compiler.rules import RULES
from ambidex.contracts import schemas
from ambidex.contracts.problem import Severity
from ambidex.contracts.response import RESPONSE_VERSION
from ambidex.dialect.nearest import nearest
from ambidex.dialect.pointer import child, from_path

_FOLDER = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_DEVICES = frozenset({"con", "prn", "aux", "nul", *(f"{n}{i}" for n in ("com", "lpt") for i in range(1, 10))})
_META_TOOLS_LATER = frozenset({"reg_search", "reg_call"})
_SCHEMAS = ("parameters", "response")


def folder_is_kebab_case(source: Source) -> Iterator[Finding]:
    name = source.folder
    if not _FOLDER.fullmatch(name) or len(name) > 64:
        words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()
        better = re.sub(r"[^a-z0-9]+", "-", words).strip("-0123456789")[:64]
        yield Finding("AX001", "", "is not named in kebab-case", f"rename it to {better or 'my-tool'}")
    elif name in _DEVICES:
        yield Finding("AX001", "", "has a name that some systems reserve for a device", "choose another name")


def fields_have_their_shape(source: Source) -> Iterator[Finding]:
    if source.schema is None:
        return
    # The two schemas inside are checked by their own rules, which name the place and the mistake better.
    outer = {name: value for name, value in source.schema.items() if name not in _SCHEMAS}
    for error in _shape().iter_errors(outer):
        yield from _shape_finding(source, error)
    for name in _SCHEMAS:
        if name in source.schema and not isinstance(source.schema[name], dict):
            message = f"{name} must be a JSON Schema object"
            yield source.finding("AX106", f"/{name}", message, "describe an object with its properties", value=True)
    if "parameters" not in source.schema:
        yield _missing(source, "parameters")


@cache
def _shape() -> Any:
    import jsonschema_rs

    shape = dict(schemas.schema(schemas.TOOL))
    shape["required"] = [name for name in shape["required"] if name not in _SCHEMAS]
    shape["properties"] = {name: value for name, value in shape["properties"].items() if name not in _SCHEMAS}
    return jsonschema_rs.Draft202012Validator(shape, validate_formats=True, offline=True)


def _shape_finding(source: Source, error: Any) -> Iterator[Finding]:
    pointer = from_path(error.instance_path)
    facts = error.kind.as_dict()
    kind = error.kind.name
    if kind == "required" and not pointer:
        yield _missing(source, facts["property"])
    elif kind == "additionalProperties":
        for name in facts["unexpected"]:
            yield _unknown(source, child(pointer, name), name, _known_at(pointer))
    else:
        where = pointer.lstrip("/").replace("/", ".") or "schema.json"
        fix = f"see the description of {where.split('.', 1)[0]}: ambidex lint --explain AX106"
        message = f"{where}: {_shape_message(kind, facts, error)}"
        yield source.finding("AX106", pointer, message, fix, value=True)


def _shape_message(kind: str, facts: dict[str, Any], error: Any) -> str:
    if kind == "enum":
        return "must be one of " + ", ".join(map(str, facts["options"]))
    if kind == "pattern":
        return f"does not match {facts['pattern']}"
    return str(error.message)[:200]


def _known_at(pointer: str) -> list[str]:
    properties: dict[str, Any] = schemas.schema(schemas.TOOL)["properties"]
    if not pointer:
        return list(properties)
    return list(properties.get(pointer.split("/")[1], {}).get("properties", {}))


def _missing(source: Source, name: str) -> Finding:
    meaning = schemas.schema(schemas.TOOL)["properties"].get(name, {}).get("description", "")
    return source.finding("AX104", "", f"{name} is missing", f'add "{name}"' + (f" ({meaning})" if meaning else ""))


def _unknown(source: Source, pointer: str, name: str, known: list[str]) -> Finding:
    near = nearest(name, known)
    fix = f"did you mean {near}?" if near else "remove it"
    return source.finding("AX105", pointer, f"{name} is not a known field", fix)


def id_matches_folder(source: Source) -> Iterator[Finding]:
    tool_id = (source.schema or {}).get("toolId")
    expected = source.folder.replace("-", "_")
    if isinstance(tool_id, str) and tool_id != expected:
        message = "toolId is not the folder's name with underscores"
        yield source.finding("AX107", "/toolId", message, f'write "{expected}", or rename the folder', value=True)


def id_is_not_reserved(source: Source) -> Iterator[Finding]:
    schema = source.schema or {}
    tool_id = schema.get("toolId")
    if not isinstance(tool_id, str) or not tool_id.startswith("reg_"):
        return
    if tool_id in _META_TOOLS_LATER:
        yield source.finding("AX108", "/toolId", f"{tool_id} is reserved for later", "choose another name", value=True)
    elif tool_id != "reg_describe" or (schema.get("category"), schema.get("sideEffects")) != ("retrieval", "none"):
        message = f"{tool_id} is reserved for the registry's own tools"
        yield source.finding("AX108", "/toolId", message, "choose a name that does not begin with reg_", value=True)


def retrieval_only_looks(source: Source) -> Iterator[Finding]:
    schema = source.schema or {}
    if schema.get("category") != "retrieval":
        return
    if source.writes:
        fix = "set category to action, or sideEffects to read_only"
        yield source.finding("AX110", "/sideEffects", "a retrieval tool writes", fix, value=True)
    if schema.get("idempotent") is False:
        fix = "set idempotent to true, or category to action"
        yield source.finding("AX111", "/idempotent", "a retrieval tool is not idempotent", fix, value=True)


def response_version_is_known(source: Source) -> Iterator[Finding]:
    asked = (source.schema or {}).get("toolResponseVersion")
    ours = RESPONSE_VERSION.split(".", 1)[0]
    if isinstance(asked, str) and asked.split(".", 1)[0] != ours:
        message = f"is written for ToolResponse {asked}, and this build knows {RESPONSE_VERSION}"
        fix = f"port the handler and set {RESPONSE_VERSION}"
        yield source.finding("AX112", "/toolResponseVersion", message, fix, value=True)


def nothing_is_reserved_for_later(source: Source) -> Iterator[Finding]:
    if (source.schema or {}).get("execution") == "background":
        fix = "remove it; for now keep the work within timeoutMs"
        yield source.finding("AX113", "/execution", "background execution is reserved for later", fix, value=True)


def write_fields_stand_at_writes(source: Source) -> Iterator[Finding]:
    schema = source.schema or {}
    if source.writes or "sideEffects" not in schema:
        return
    for name in ("downstream", "repeatable"):
        if name in schema:
            fix = "remove it, or set sideEffects to writes"
            yield source.finding("AX114", f"/{name}", f"{name} is only for tools that write", fix)


def failure_intents_are_declared(source: Source) -> Iterator[Finding]:
    declared = source.words("intents")
    for index, name in enumerate(source.words("intentsOnFailure")):
        if "intents" in (source.schema or {}) and name not in declared:
            pointer = f"/intentsOnFailure/{index}"
            yield source.finding("AX115", pointer, f"{name} is not among intents", "add it there, or remove it here")


def writes_ask_first(source: Source) -> Iterator[Finding]:
    schema = source.schema or {}
    asks = schema.get("requiresConfirmation") is True or "confirmWhen" in schema
    if source.writes and schema.get("category") == "action" and not asks:
        fix = "set requiresConfirmation, write confirmWhen, or acknowledge AX118"
        yield source.finding("AX118", "/requiresConfirmation", "writes without asking a person", fix)


def voice_retrieval_is_quick(source: Source) -> Iterator[Finding]:
    schema = source.schema or {}
    budget = schema.get("latencyBudgetMs")
    if schema.get("category") == "retrieval" and "voice" in source.words("allowedModes") and _number(budget) > 800:
        fix = "lower it to 800, drop voice, or acknowledge AX119"
        message = f"a voice look-up may take {budget} ms, which is heard as a broken line"
        yield source.finding("AX119", "/latencyBudgetMs", message, fix, value=True)


def timeout_is_not_below_budget(source: Source) -> Iterator[Finding]:
    schema = source.schema or {}
    if "timeoutMs" in schema and 0 < _number(schema["timeoutMs"]) < _number(schema.get("latencyBudgetMs")):
        fix = "raise timeoutMs, or lower latencyBudgetMs"
        yield source.finding("AX120", "/timeoutMs", "timeoutMs is below latencyBudgetMs", fix, value=True)


def _number(value: Any) -> float:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else 0


def acknowledged_codes_are_warnings(source: Source) -> Iterator[Finding]:
    for index, code in enumerate(source.words("acknowledge")):
        rule = RULES.get(code)
        if rule is None or rule.severity is not Severity.WARNING:
            what = "is no code" if rule is None else "is an error, which cannot be acknowledged"
            yield source.finding("AX122", f"/acknowledge/{index}", f"{code} {what}", "remove it", value=True)


def fields_have_an_effect(source: Source) -> Iterator[Finding]:
    schema = source.schema or {}
    asks = schema.get("requiresConfirmation") is True or "confirmWhen" in schema or source.writes
    if schema.get("voiceConsent") is True and not (asks and "voice" in source.words("allowedModes")):
        message = "voiceConsent has no effect: the tool is not for voice, or never asks"
        yield source.finding("AX123", "/voiceConsent", message, "remove it")
    if "preview" in schema and not asks:
        yield source.finding("AX123", "/preview", "preview is never shown: the tool never asks", "remove it")


CHECKS: tuple[Callable[[Source], Iterator[Finding]], ...] = (
    folder_is_kebab_case,
    fields_have_their_shape,
    id_matches_folder,
    id_is_not_reserved,
    retrieval_only_looks,
    response_version_is_known,
    nothing_is_reserved_for_later,
    write_fields_stand_at_writes,
    failure_intents_are_declared,
    writes_ask_first,
    voice_retrieval_is_quick,
    timeout_is_not_below_budget,
    acknowledged_codes_are_warnings,
    fields_have_an_effect,
)
