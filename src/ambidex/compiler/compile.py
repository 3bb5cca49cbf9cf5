"""`ambidex.build`: scan, read, check, adapt (`passes.py`), hash, write. Any error, and nothing is written."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import orjson

from ambidex.compiler.artifact import Contents, assemble, contents_of, write_atomically
from ambidex.compiler.cache import Cache, fingerprint, note_path, read_cache, write_cache
from ambidex.compiler.existing import read_existing
from ambidex.compiler.passes import Pass, Progress, run_pass
from ambidex.compiler.report import BuildReport, Freshness
from ambidex.compiler.stamp import stamp_for
from ambidex.contracts.problem import Problem
from ambidex.contracts.spec import PROVIDERS
from ambidex.errors import BuildError

PathLike = str | os.PathLike[str]


def build(
    tools: PathLike,
    out: PathLike,
    *,
    strict: bool = False,
    targets: Sequence[str] | None = None,
    fresh: bool = False,
    progress: Progress | None = None,
) -> BuildReport:
    """Compile every tool folder under `tools` into the artifact `out`; raises `BuildError` with every problem.

    With `fresh` every file is read, whatever the last build remembers.
    """
    folder, path = Path(tools), Path(out)
    mark = fingerprint(_targets(targets))
    known = Cache(mark, {}) if fresh else read_cache(path, mark)
    result = run_pass(folder, _targets(targets), strict=strict, known=known, progress=progress)
    contents = _contents(result)
    changed = _write(path, folder, contents)
    if result.reused < len(result.folders) or len(known.folders) != len(result.folders):
        write_cache(path, result.cache)
    return BuildReport(contents.version, _ids(result), result.problems, path, result.reused, changed)


def lint(
    tools: PathLike, *, strict: bool = False, targets: Sequence[str] | None = None, progress: Progress | None = None
) -> list[Problem]:
    """Every problem of every tool; nothing is written."""
    return run_pass(Path(tools), _targets(targets), strict=strict, progress=progress).problems


def check(
    tools: PathLike,
    out: PathLike,
    *,
    strict: bool = False,
    targets: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Freshness:
    """Is `out` what a build would write now? Reads everything; raises `BuildError` when the tools do not build."""
    result = run_pass(Path(tools), _targets(targets), strict=strict, progress=progress)
    current = _contents(result).version
    existing = read_existing(Path(out))
    reason = existing.problem
    if not reason and existing.version != current:
        reason = f"was built as {existing.version}; the tools are now {current}"
    return Freshness(not reason, reason or "is up to date", existing.version, current, result.problems)


def _contents(result: Pass) -> Contents:
    if result.failed:
        raise BuildError(result.problems)
    compiled = sorted(result.compiled, key=lambda tool: tool.tool_id)
    return contents_of([tool.entry for tool in compiled])


def _ids(result: Pass) -> tuple[str, ...]:
    return tuple(sorted(tool.tool_id for tool in result.compiled))


def _write(path: Path, tools: Path, contents: Contents) -> bool:
    """Whether anything had to be written: an artifact that says the same already is left alone."""
    stamp = stamp_for(tools)
    existing = read_existing(path)
    same = (existing.problem, existing.content_hash, existing.git_commit) == (
        "",
        contents.content_hash,
        stamp.git_commit,
    )
    if same and "SOURCE_DATE_EPOCH" not in os.environ:
        if not note_path(path).exists():  # somebody cleaned up
            _note_tools_folder(path, tools)
        return False
    _note_tools_folder(path, tools)
    write_atomically(path, assemble(contents, stamp))
    return True


def _note_tools_folder(path: Path, tools: Path) -> None:
    """Beside the artifact, not in it: the same tools give the same bytes wherever they are kept."""
    relative = os.path.relpath(tools.resolve(), path.parent.resolve()).replace(os.sep, "/")
    write_atomically(note_path(path), orjson.dumps({"tools": relative}), durable=False)


def _targets(asked: Sequence[str] | None) -> tuple[str, ...]:
    if asked is None:
        return PROVIDERS
    unknown = sorted(set(asked) - set(PROVIDERS))
    if unknown:
        raise ValueError(f"unknown targets {', '.join(unknown)}; known: {', '.join(PROVIDERS)}")
    return tuple(provider for provider in PROVIDERS if provider in asked)
