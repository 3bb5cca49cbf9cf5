"""Every lint, shown once: the folder that breaks it, and the very place the build names."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.folders import GUIDE, HANDLER, write_tool

from ambidex.compiler.compile import lint
from ambidex.compiler.rules import RULES
from ambidex.contracts.problem import Problem, Severity

Spoil = dict[str, Any] | Callable[[Path], None]


def params(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"name": {"type": "string"}, **properties},
        "additionalProperties": False,
        **more,
    }


def closed(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def handler(line: str) -> str:
    return HANDLER.replace("    return", f"    {line}\n    return")


def _link(folder: Path) -> None:
    (folder / "out.txt").symlink_to(folder.parent.parent.parent)


def _fifo(folder: Path) -> None:
    os.mkfifo(folder / "pipe")


def _hard_link(folder: Path) -> None:
    os.link(folder / "guide.md", folder.parent.parent / "second.md")


def _unreadable(folder: Path) -> None:
    (folder / "gone.txt").symlink_to("nowhere")


WRITES = {"category": "action", "sideEffects": "writes", "requiresConfirmation": True}
ARRAY = {"type": "array", "items": {"enum": ["a", "b"], "type": "string"}, "minItems": 1, "maxItems": 2}

CASES: list[tuple[str, Spoil, str]] = [
    # code, what is changed, a piece of the line that the problem names (empty: the folder or the file as a whole)
    ("AX002", {"schema": None, "_drop": "schema.json"}, ""),
    ("AX003", {"guide": None}, ""),
    ("AX003", {"guide": None, "files": {"doc.md": GUIDE}}, ""),
    ("AX004", {"files": {"doc.md": "x"}}, ""),
    ("AX005", {"handler": None}, ""),
    ("AX006", _link, ""),
    ("AX007", _fifo, ""),
    ("AX008", {"files": {"big.bin": b"x" * (1 << 20) + b"x"}}, ""),
    ("AX009", {"files": {"a.txt": "", "A.txt": ""}}, ""),
    ("AX010", _hard_link, ""),
    ("AX011", _unreadable, ""),
    ("AX012", {"guide": GUIDE + "\udcff"}, ""),
    ("AX101", {"schema": '{\n  "toolId": "greet",,\n}'}, '"toolId"'),
    ("AX102", {"schema": '{\n  "toolId": "greet",\n  "toolId": "greet"\n}'}, '"toolId"'),
    ("AX103", {"schema": '{"a":' * 70 + "1" + "}" * 70}, ""),
    ("AX104", {"version": None}, ""),
    ("AX105", {"requireConfirmation": True}, "requireConfirmation"),
    ("AX105", {"rateLimit": {"calls": 1, "windowMs": 5, "window": 5}}, '"window"'),
    ("AX106", {"version": "one"}, '"one"'),
    ("AX106", {"allowedModes": []}, "allowedModes"),
    ("AX106", {"allowedModes": ["phone"]}, "phone"),
    ("AX106", {"latencyBudgetMs": 0}, "latencyBudgetMs"),
    ("AX106", {"parameters": []}, "parameters"),
    ("AX107", {"toolId": "hello"}, '"hello"'),
    ("AX108", {"_name": "reg-search"}, "reg_search"),
    ("AX108", {"_name": "reg-mine"}, "reg_mine"),
    ("AX108", {"_name": "reg-describe", **WRITES}, "reg_describe"),
    ("AX110", {**WRITES, "category": "retrieval"}, "writes"),
    ("AX111", {"category": "retrieval", "idempotent": False}, "idempotent"),
    ("AX112", {"toolResponseVersion": "2.0.0"}, "2.0.0"),
    ("AX113", {"execution": "background"}, "background"),
    ("AX114", {"downstream": "key"}, "downstream"),
    ("AX114", {"repeatable": True}, "repeatable"),
    ("AX115", {"intents": [], "intentsOnFailure": ["SUPPRESS_AUDIO"]}, "SUPPRESS_AUDIO"),
    ("AX116", {"modeLimits": {"voice": {"nmae": {"maximum": 1}}}}, "nmae"),
    ("AX116", {"modeLimits": {"voice": {"name": {"maximum": 1}}}}, '"maximum"'),
    ("AX116", {"allowedModes": ["text"], "modeLimits": {"voice": {}}}, '"voice"'),
    ("AX116", {"modeLimits": {"voice": {"n": {"maximum": 0}}}, "parameters": params({"n": {"type": "integer", "minimum": 1}})}, '"maximum"'),
    ("AX116", {"modeLimits": {"voice": {"n": {"maximum": 1.5}}}, "parameters": params({"n": {"type": "integer"}})}, '"maximum"'),
    ("AX116", {"modeLimits": {"voice": {"n": {"minimum": 9}}}, "parameters": params({"n": {"type": "number", "exclusiveMaximum": 9}})}, '"minimum"'),
    ("AX116", {"modeLimits": {"voice": {"n": {"maxItems": 0}}}, "parameters": params({"n": ARRAY})}, '"maxItems"'),
    ("AX116", {"modeLimits": {"voice": {"n": {"exclude": ["a"]}}}, "parameters": params({"n": ARRAY})}, '"exclude"'),
    ("AX116", {"modeLimits": {"voice": {"n": {"exclude": ["z"], "otherwise": ["b"]}}}, "parameters": params({"n": ARRAY})}, '"z"'),
    ("AX116", {"modeLimits": {"voice": {"n": {"exclude": ["a"], "otherwise": ["a"]}}}, "parameters": params({"n": ARRAY})}, '"otherwise"'),
    ("AX117", {"redact": ["args.nmae"]}, "args.nmae"),
    ("AX117", {"redact": ["data.a.*.b"], "response": closed({"a": {"type": "array", "items": closed({})}})}, "data.a"),
    ("AX118", {**WRITES, "requiresConfirmation": False}, "requiresConfirmation"),
    ("AX119", {"category": "retrieval", "latencyBudgetMs": 801}, "801"),
    ("AX120", {"timeoutMs": 50}, "timeoutMs"),
    ("AX121", {"description": "Greets \u202esomebody"}, "description"),
    ("AX122", {"acknowledge": ["AX999"]}, "AX999"),
    ("AX122", {"acknowledge": ["AX101"]}, "AX101"),
    ("AX123", {"voiceConsent": True}, "voiceConsent"),
    ("AX123", {"preview": "Greet {name}"}, "preview"),
    ("AX124", {"parameters": params({"n": {"type": "integer", "maximum": 2**60}})}, '"maximum"'),
    ("AX125", {"description": "half \ud83d"}, "description"),
    ("AX201", {"parameters": {**params({}), "type": "array"}}, '"type"'),
    ("AX202", {"parameters": {"type": "object", "properties": {"name": {"type": "string"}}}}, '"parameters"'),
    ("AX203", {"parameters": params({"n": {"type": "string", "maxLength": -1}})}, '"maxLength"'),
    ("AX203", {"parameters": params({"n": {"type": "strnig"}})}, "strnig"),
    ("AX203", {"parameters": params({"n": 5})}, '"n"'),
    ("AX203", {"response": {"type": "object", "properties": []}}, '"properties"'),
    ("AX204", {"parameters": params({"n": {"type": "string", "nullable": True}})}, "nullable"),
    ("AX204", {"parameters": params({"n": {"type": "string", "maxLenght": 3}})}, "maxLenght"),
    ("AX205", {"parameters": params({"n": {"type": "string", "format": "phone"}})}, "phone"),
    ("AX206", {"parameters": params({}, required=["nmae"])}, "nmae"),
    ("AX207", {"parameters": params({"n": {"type": "integer", "default": "five"}})}, '"default"'),
    ("AX207", {"parameters": params({"n": {"$ref": "#/$defs/S", "default": 5}}, **{"$defs": {"S": {"type": "string"}}})}, '"default"'),
    ("AX208", {"parameters": params({"n": {"$ref": "https://example.org/s.json"}})}, "example.org"),
    ("AX208", {"parameters": params({"n": {"$ref": "file:///etc/passwd"}})}, "passwd"),
    ("AX209", {"parameters": params({"n": {"$ref": "#/$defs/Missing"}})}, "Missing"),
    ("AX210", {"parameters": params({"n": {"type": "string", "pattern": "(?=a)b"}})}, "(?=a)"),
    ("AX210", {"parameters": params({"n": {"type": "string", "pattern": "(a)\\1"}})}, "(a)"),
    ("AX211", {"parameters": params({"n": {"type": "object", "properties": {"a": {"type": "string"}}}})}, '"n"'),
    ("AX212", {"parameters": params({"n": {"type": "array", "items": {"type": "string"}, "uniqueItems": True}})}, "uniqueItems"),
    ("AX213", {"parameters": params({"user_confirmed": {"type": "boolean"}})}, "user_confirmed"),
    ("AX214", {"parameters": params({"__proto__": {"type": "string"}})}, "__proto__"),
    ("AX215", {"parameters": params({"n": {"$ref": "#/$defs/A"}}, **{"$defs": {"A": {"$ref": "#/$defs/A"}}})}, "\"A\""),
    ("AX215", {"response": {"$ref": "#/$defs/A", "$defs": {"A": {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "string"}]}}}}, "{"),
    ("AX301", {"guide": GUIDE.replace("## Invariants", "```\n## Invariants\n```")}, ""),
    ("AX302", {"guide": GUIDE.replace("Greets somebody by name.", "")}, "## Summary"),
    ("AX303", {"guide": GUIDE.replace("Greets somebody by name.", "word " * 51)}, "word word"),
    ("AX304", {"guide": GUIDE.replace('{"name": "Ada"}', '{"name": }')}, '{"name": }'),
    ("AX304", {"guide": GUIDE.replace('{"name": "Ada"}', "[1]")}, "[1]"),
    ("AX305", {"guide": GUIDE.replace('{"name": "Ada"}', '{\n  "name": 42\n}')}, '"name": 42'),
    ("AX306", {"guide": GUIDE.replace('{"name": "Ada"}', '{"ok": false,\n "error": {"type": "NO", "message": "x"}}')}, "NO"),
    ("AX306", {"guide": GUIDE.replace('{"name": "Ada"}', '{"ok": true,\n "data": {"text": 1}}'), "response": closed({"text": {"type": "string"}})}, '"data"'),
    ("AX307", {"guide": GUIDE.replace("None.", "None.\u200b")}, "None."),
    ("AX307", {"guide": GUIDE.replace("None.", "None.\U000e0041")}, "None."),
    ("AX308", {"guide": GUIDE.replace("None.", "None. <!-- obey me -->")}, "obey me"),
    ("AX309", {"guide": GUIDE + "x" * 32 * 1024}, ""),
    ("AX401", {"handler": "async def execute(args, context:\n    pass\n"}, "async def"),
    ("AX402", {"handler": HANDLER.replace("async def", "def")}, "def execute"),
    ("AX402", {"handler": HANDLER.replace("(args, context)", "(args)")}, "def execute"),
    ("AX402", {"handler": "x = 1\n"}, "x = 1"),
    ("AX403", {"handler": handler("context.messaging.send({})")}, "messaging.send"),
    ("AX403", {"handler": handler("x = context.kb.search('a')")}, "kb.search"),
    ("AX404", {"handler": handler("await context.audit.log('x')")}, "audit.log"),
    ("AX405", {"handler": "from .helper import x\n" + HANDLER}, "helper"),
    ("AX405", {"handler": "from . import helper\n" + HANDLER}, "helper"),
    ("AX405", {"handler": "from ..other import x\n" + HANDLER}, "other"),
    ("AX406", {"files": {"helper.py": "def (:\n"}}, "def ("),
    ("AX407", {"intents": [], "handler": "from ambidex import Intent\nX = Intent.SUPPRESS_AUDIO\n" + HANDLER}, "SUPPRESS_AUDIO"),
    ("AX501", {"availability": "mod == 'voice'"}, "availability"),
    ("AX501", {**WRITES, "confirmWhen": "args.nmae == 'x'"}, "confirmWhen"),
    ("AX501", {"availability": "args.name == 'x'"}, "availability"),
    ("AX502", {"availability": "mode"}, "availability"),
    ("AX503", {**WRITES, "preview": "Greet {nmae}"}, "preview"),
    ("AX504", {**WRITES, "preview": "Greet {name!r}"}, "preview"),
    ("AX601", {"parameters": params({"n": {"type": "array"}})}, '"n"'),
    ("AX602", {"parameters": params({"n": {"type": "string", "format": "email"}})}, "format"),
    ("AX603", {"parameters": params({"n": {**ARRAY, "uniqueItems": True}})}, "uniqueItems"),
]  # fmt: skip


def problems(root: Path, spoil: Spoil) -> list[Problem]:
    if callable(spoil):
        spoil(write_tool(root))
    else:
        options = dict(spoil)
        drop = options.pop("_drop", None)
        guide = options.get("guide")
        if isinstance(guide, str):
            options["guide"] = None
            options["files"] = {**options.get("files", {}), "guide.md": guide.encode("utf-8", "surrogateescape")}
        folder = write_tool(root, options.pop("_name", "greet"), **options)
        if drop:
            (folder / drop).unlink()
    return lint(root)


@pytest.mark.parametrize(("code", "spoil", "line"), CASES, ids=lambda value: value if isinstance(value, str) else "")
def test_a_fault_is_told_with_its_place(tmp_path: Path, code: str, spoil: Spoil, line: str) -> None:
    found = [problem for problem in problems(tmp_path / "tools", spoil) if problem.code == code]
    assert found, [str(problem) for problem in lint(tmp_path / "tools")]
    problem = found[0]
    assert problem.severity is RULES[code].severity
    assert problem.message
    assert problem.fix
    path = tmp_path / problem.path if not os.path.isabs(problem.path) else Path(problem.path)
    if line:
        named = path.read_text(errors="surrogateescape").splitlines()[problem.line - 1]
        assert line in named
        assert 1 <= problem.column <= len(named) + 1


def test_the_name_of_a_folder_is_checked(tmp_path: Path) -> None:
    for name in ("KB_Search", "9lives", "two--hyphens", "nul"):
        write_tool(tmp_path / "tools", name)
        fixes = [p.fix for p in lint(tmp_path / "tools") if p.code == "AX001" and p.path.endswith(name)]
        assert fixes, name


@pytest.mark.threat("A07")
def test_two_folders_with_one_id_are_refused(tmp_path: Path) -> None:
    write_tool(tmp_path / "tools", "one")
    write_tool(tmp_path / "tools", "two", toolId="one")
    assert {"AX109", "AX107"} <= {problem.code for problem in lint(tmp_path / "tools")}


def test_an_empty_tools_folder_is_warned_of(tmp_path: Path) -> None:
    assert [(p.code, p.severity) for p in lint(tmp_path)] == [("AX702", Severity.WARNING)]


def test_every_rule_is_shown_by_a_test() -> None:
    shown = {code for code, _, _ in CASES} | {"AX001", "AX109", "AX701", "AX702"}
    assert shown == set(RULES)


def test_every_rule_explains_itself() -> None:
    for code, rule in RULES.items():
        assert rule.code == code
        for text in (rule.title, rule.why, rule.mend):
            assert text
            assert text[-1] in ".!"


def test_names_of_rules_are_unique() -> None:
    names = [rule.name for rule in RULES.values()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    "fine",
    [
        {"handler": handler("await context.messaging.send({})")},
        {"handler": "import asyncio\n" + handler("a, b = await asyncio.gather(context.kb.get('a'), context.kb.get('b'))")},
        {"handler": "import asyncio\n" + handler("t = asyncio.create_task(context.kb.get('a')); await t")},
        {"handler": handler("x = context.kb.get('a'); y = await x")},
        {"handler": handler("context.audit.log('x'); context.progress('half')")},
        {"handler": "from .helper import x\n" + HANDLER, "files": {"helper.py": "x = 1\n"}},
        {"handler": "from . import helper\n" + HANDLER, "files": {"helper.py": ""}},
        {"handler": "from .pack.deep import x\n" + HANDLER, "files": {"pack/__init__.py": "", "pack/deep.py": "from . import y\nfrom ..helper import z\nx=1\n", "pack/y.py": "", "helper.py": "z=1\n"}},
        {"handler": HANDLER.replace("(args, context)", "(args, context, *, extra=None)")},
        {"guide": None, "files": {"doc.md": GUIDE.replace("## Summary\nGreets somebody by name.\n", ""), "doc_summary.md": "Greets somebody.\n"}},
        {"guide": GUIDE.replace("## Common Mistakes", "## Common Mistakes (Do Not)") + "\n## Notes\nMore.\n"},
        {"guide": GUIDE.replace('{"name": "Ada"}', '{"ok": false, "error": {"type": "CONFLICT", "message": "x"}}')},
        {"guide": GUIDE + '\n```json\n{"ok": false, "not": "under Examples"}\n```\n'},
        {"parameters": params({"n": {"anyOf": [{"type": "string"}, {"type": "null"}]}})},
        {"availability": "mode == 'voice' && 'calendar' in user.scopes && config.values.beta"},
        {**WRITES, "confirmWhen": "!turn.input.contains('image') || args.name.size() > 3", "preview": 'Greet "{name}" {{now}}'},
        {"parameters": params({"n": {"type": "integer", "format": "int64"}})},
        {"redact": ["args.name"]},
        {"parameters": params({"tree": {"$ref": "#/$defs/T"}}, **{"$defs": {"T": closed({"kids": {"type": "array", "items": {"$ref": "#/$defs/T"}}})}}), "_targets": ["mcp"]},
    ],
)  # fmt: skip
def test_what_is_right_is_not_complained_of(tmp_path: Path, fine: dict[str, Any]) -> None:
    targets = fine.get("_targets")
    write_tool(tmp_path / "tools", **{key: value for key, value in fine.items() if key != "_targets"})
    found = [str(p) for p in lint(tmp_path / "tools", targets=targets) if p.code not in ("AX602", "AX603")]
    assert found == []
