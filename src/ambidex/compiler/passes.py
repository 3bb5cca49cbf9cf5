"""One pass over a tools folder: every tool read, checked and adapted, and every problem of all of them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ambidex.authoring.finding import Finding
from ambidex.authoring.folder import Folder, read_file, tool_folders
from ambidex.authoring.source import SCHEMA
from ambidex.compiler.cache import Cache, CachedFolder, cached_files
from ambidex.compiler.entry import Compiled, compile_folder
from ambidex.compiler.judging import judge, shown
from ambidex.compiler.rules import RULES
from ambidex.contracts.problem import Problem, Severity

Progress = Callable[[int, int, str], None]


@dataclass(slots=True)
class Pass:
    """What one pass gave. `cache` holds what the next one may reuse."""

    folders: list[Folder] = field(default_factory=list)
    compiled: list[Compiled] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    reused: int = 0
    cache: Cache = field(default_factory=Cache)

    @property
    def failed(self) -> bool:
        return any(problem.severity is Severity.ERROR for problem in self.problems)


def run_pass(
    tools: Path, targets: tuple[str, ...], *, strict: bool, known: Cache | None = None, progress: Progress | None = None
) -> Pass:
    """`known` is what an earlier pass left; without it every file is read."""
    known = known or Cache()
    result = Pass(cache=Cache(known.fingerprint, {}))
    try:
        result.folders = tool_folders(tools)
    except OSError as error:
        missing = Finding("AX701", "", f"cannot be read: {error.strerror}", RULES["AX701"].mend)
        result.problems += _judged([missing], shown(tools), (), strict)
        return result
    for done, folder in enumerate(result.folders):
        result.compiled.append(_compile(folder, targets, known, result))
        if progress:
            progress(done + 1, len(result.folders), folder.name)
    result.problems = list(_problems(result, shown(tools), strict))
    return result


def _compile(folder: Folder, targets: tuple[str, ...], known: Cache, result: Pass) -> Compiled:
    """From the cache where nothing changed, else from the files."""
    if (unchanged := known.unchanged(folder)) is not None:
        result.reused += 1
        result.cache.folders[folder.name] = unchanged
        return unchanged.compiled
    files = {name: data for name in folder.stamps if (data := read_file(folder, name)) is not None}
    if len(files) < len(folder.stamps):
        return compile_folder(folder.name, files, targets)
    hashes = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    same = known.same_contents(folder, hashes)
    compiled = same.compiled if same else compile_folder(folder.name, files, targets)
    result.cache.folders[folder.name] = CachedFolder(cached_files(folder, hashes), compiled)
    return compiled


def _problems(result: Pass, root: str, strict: bool) -> Iterator[Problem]:
    for folder, compiled in zip(result.folders, result.compiled, strict=True):
        findings = sorted([*folder.findings, *compiled.findings], key=lambda f: (f.file, f.line, f.column, f.code))
        yield from _judged(findings, f"{root}/{folder.name}", compiled.acknowledged, strict)
    yield from _across_tools(result, root, strict)


def _across_tools(result: Pass, root: str, strict: bool) -> Iterator[Problem]:
    if not result.folders:
        yield from _judged([Finding("AX702", "", "holds no tool", RULES["AX702"].mend)], root, (), strict)
    owners: dict[str, str] = {}
    for folder, compiled in zip(result.folders, result.compiled, strict=True):
        first = owners.setdefault(compiled.tool_id, folder.name) if compiled.tool_id else folder.name
        if first != folder.name:
            message = f"toolId {compiled.tool_id} is also that of {first}"
            again = Finding("AX109", SCHEMA, message, "rename one of them")
            yield from _judged([again], f"{root}/{folder.name}", (), strict)


def _judged(findings: list[Finding], where: str, acknowledged: tuple[str, ...], strict: bool) -> list[Problem]:
    judged = (judge(finding, where, acknowledged, strict=strict) for finding in findings)
    return [problem for problem in judged if problem is not None]
