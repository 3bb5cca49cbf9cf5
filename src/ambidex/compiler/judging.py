"""Findings become problems: a place a person can click on, and this run's severity."""

from __future__ import annotations

import os
from pathlib import Path

from ambidex.authoring.finding import Finding
from ambidex.compiler.rules import RULES
from ambidex.contracts.problem import Problem, Severity


def judge(finding: Finding, where: str, acknowledged: tuple[str, ...], *, strict: bool) -> Problem | None:
    """None for a warning that the author has considered; a warning that was not is an error under `strict`."""
    severity = RULES[finding.code].severity
    if severity is Severity.WARNING:
        if finding.code in acknowledged:
            return None
        if strict:
            severity = Severity.ERROR
    path = f"{where}/{finding.file}" if finding.file else where
    return Problem(finding.code, severity, path, finding.line, finding.column, finding.message, finding.fix)


def shown(path: Path) -> str:
    """As a person in the current directory would name it, with forward slashes."""
    try:
        return path.resolve().relative_to(Path.cwd()).as_posix()
    except (ValueError, OSError):
        return Path(os.fspath(path)).as_posix()
