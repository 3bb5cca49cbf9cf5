"""One tool folder's contents -> its entry in the artifact, and everything that is wrong with it.

A pure function of the bytes in the folder and the targets, which is what makes builds incremental and repeatable.
"""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from ambidex.adapters import Conversion, Declared, convert_all, declare
from ambidex.authoring.finding import Finding
from ambidex.authoring.source import HANDLER, Source, read_source
from ambidex.compiler.checks import CHECKS
from ambidex.compiler.handlers import can_suspend, find_execute, named_intents
from ambidex.compiler.rules import RULES
from ambidex.contracts.call import SideEffects
from ambidex.contracts.problem import Severity
from ambidex.contracts.spec import PROVIDERS
from ambidex.dialect.canonical import canonical

_COPIED = (
    "toolId version description category sideEffects idempotent requiresConfirmation allowedModes latencyBudgetMs "
    "response modeLimits rateLimit maxConcurrency availability confirmWhen preview toolResponseVersion "
    "intentsOnFailure permissions redact tags effects acknowledge repeatable untrusted safeAfterUntrusted voiceConsent"
).split()
"""Fields that stand in the artifact as the author wrote them."""


class Compiled(msgspec.Struct, frozen=True, array_like=True):
    """What one folder gives."""

    tool_id: str
    entry: bytes
    """Canonical bytes of the entry; empty when there is an error."""
    findings: tuple[Finding, ...]
    acknowledged: tuple[str, ...]


def compile_folder(name: str, files: dict[str, bytes], targets: tuple[str, ...]) -> Compiled:
    source = read_source(name, files)
    findings = [finding for check in CHECKS for finding in check(source)]
    conversions = _conversions(source)
    if not (findings and _refused_alike(conversions)):
        findings += _provider_findings(source, conversions, targets)
    findings = source.findings + findings
    broken = any(RULES[finding.code].severity is Severity.ERROR for finding in findings)
    entry = b"" if broken else canonical(_entry(source, conversions))
    tool_id = (source.schema or {}).get("toolId")
    return Compiled(
        tool_id if isinstance(tool_id, str) else "", entry, tuple(findings), tuple(source.words("acknowledge"))
    )


def _refused_alike(conversions: dict[str, Conversion]) -> bool:
    """Whether no provider can be served for one and the same reason: then a rule above has named it better."""
    reasons = {(conversion.outcome, conversion.error_path, conversion.why) for conversion in conversions.values()}
    return len(reasons) == 1 and all(conversion.outcome == "error" for conversion in conversions.values())


def _conversions(source: Source) -> dict[str, Conversion]:
    parameters = (source.schema or {}).get("parameters")
    return convert_all(parameters) if isinstance(parameters, dict) else {}


def _provider_findings(source: Source, conversions: dict[str, Conversion], targets: tuple[str, ...]) -> list[Finding]:
    """One finding for each place and reason, naming the providers it concerns."""
    told: dict[tuple[str, str, str], list[str]] = {}
    for provider in targets:
        conversion = conversions.get(provider)
        if conversion is None:
            continue
        if conversion.outcome == "error":
            told.setdefault(("AX601", conversion.error_path or "", conversion.why or ""), []).append(provider)
        code = "AX603" if conversion.outcome == "nonstrict" else "AX602"
        for loss in conversion.losses:
            told.setdefault((code, loss.path, loss.why), []).append(provider)
    return [
        source.finding(code, f"/parameters{path}", f"{_PROVIDER_WORDS[code]} {', '.join(names)}: {why}", _MEND[code])
        for (code, path, why), names in told.items()
    ]


_PROVIDER_WORDS = {"AX601": "cannot be declared to", "AX602": "is not wholly carried by", "AX603": "is not strict for"}
_MEND = {
    "AX601": "rewrite it, or leave them out of targets",
    "AX602": "it is still enforced at run time; rewrite it, or acknowledge AX602",
    "AX603": "it is still enforced at run time; rewrite it, or acknowledge AX603",
}


def _entry(source: Source, conversions: dict[str, Conversion]) -> dict[str, Any]:
    """Every default resolved here, so that no reader of the artifact has to know the rules."""
    schema = source.schema or {}
    guide, tree = source.guide, source.handler
    execute = find_execute(tree.module) if tree else None
    if guide is None or tree is None or execute is None:
        raise AssertionError("a tool without errors has a guide and a handler")
    entry = {name: schema[name] for name in _COPIED if name in schema}
    entry["jsonSchema"] = _without_dialect(schema["parameters"])
    entry["timeoutMs"] = schema.get("timeoutMs", max(10 * schema["latencyBudgetMs"], 5000))
    entry["interruptible"] = schema.get("interruptible", not source.writes)
    entry["intents"] = sorted(schema["intents"]) if "intents" in schema else list(named_intents(source.python.values()))
    if source.writes:
        entry["downstream"] = schema.get("downstream", "natural" if schema["idempotent"] else "none")
    entry["suspends"] = can_suspend(tree, execute)
    entry["summary"] = source.summary
    entry["documentation"] = guide.text
    entry["phrases"] = list(guide.phrases)
    entry["handlerPath"] = f"{source.folder}/{HANDLER}"
    entry["files"] = {
        f"{source.folder}/{name}": hashlib.sha256(data).hexdigest() for name, data in source.files.items()
    }
    entry["providerSchemas"] = _declarations(schema, conversions)
    return entry


def _declarations(schema: dict[str, Any], conversions: dict[str, Conversion]) -> dict[str, Any]:
    tool = Declared(
        name=schema["toolId"],
        description=schema["description"],
        side_effects=SideEffects(schema["sideEffects"]),
        idempotent=schema["idempotent"],
        untrusted=schema.get("untrusted", False),
        response=schema.get("response"),
    )
    return {
        provider: declare(provider, tool, conversions[provider])
        for provider in PROVIDERS
        if conversions[provider].outcome != "error"
    }


def _without_dialect(parameters: dict[str, Any]) -> dict[str, Any]:
    return {keyword: value for keyword, value in parameters.items() if keyword != "$schema"}
