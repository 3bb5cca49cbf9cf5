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
from ambidex.compiler.entry import Compiled
from ambidex.compiler.judging import judge, shown
from ambidex.compiler.rules import RULES
from ambidex.compiler.workers import Job, compile_jobs
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
    result.compiled = _compile_all(result, targets, known, progress or (lambda done, total, name: None))
    result.problems = list(_problems(result, shown(tools), strict))
    return result


@dataclass(frozen=True, slots=True)
class _Read:
    """A folder that has to be looked at."""

    folder: Folder
    files: dict[str, bytes]
    hashes: dict[str, str]

    @property
    def whole(self) -> bool:
        return len(self.files) == len(self.folder.stamps)


def _compile_all(result: Pass, targets: tuple[str, ...], known: Cache, progress: Progress) -> list[Compiled]:
    """From the cache where nothing changed, else from the files; in the order of the folders."""
    found: dict[str, Compiled] = {}
    new: list[_Read] = []
    for folder in result.folders:
        if (unchanged := known.unchanged(folder)) is not None:
            result.reused += 1
            result.cache.folders[folder.name] = unchanged
            found[folder.name] = unchanged.compiled
            continue
        read = _read(folder)
        same = known.same_contents(folder, read.hashes) if read.whole else None
        if same is None:
            new.append(read)
        else:
            found[folder.name] = _remember(result, read, same.compiled)
    total, ready = len(result.folders), len(found)
    jobs = [Job(read.folder.name, read.files) for read in new]
    done = compile_jobs(jobs, targets, lambda count: progress(ready + count, total, jobs[count - 1].name))
    for read, compiled in zip(new, done, strict=True):
        found[read.folder.name] = _remember(result, read, compiled)
    return [found[folder.name] for folder in result.folders]


def _read(folder: Folder) -> _Read:
    files = {name: data for name in folder.stamps if (data := read_file(folder, name)) is not None}
    return _Read(folder, files, {name: hashlib.sha256(data).hexdigest() for name, data in files.items()})


def _remember(result: Pass, read: _Read, compiled: Compiled) -> Compiled:
    if read.whole:
        result.cache.folders[read.folder.name] = CachedFolder(cached_files(read.folder, read.hashes), compiled)
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
