"""`ambidex lint`: the build's checks without the build, and the reason for each rule."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from ambidex.cli.options import common_options, load_config, sarif_option, strict_option, tools_option
from ambidex.cli.output import Exit, leave, note, say, say_json
from ambidex.cli.problems import print_problems, problem_json, tally
from ambidex.cli.progress import progress_bar
from ambidex.config import Config, keys
from ambidex.contracts.problem import Problem, Severity
from ambidex.dialect.nearest import did_you_mean

if TYPE_CHECKING:
    from ambidex.compiler.rules.rule import Rule


@click.command(short_help="Check the tools and write nothing.")
@click.argument("paths", nargs=-1, metavar="[TOOL_OR_PATH]...")
@tools_option
@strict_option
@click.option("--explain", metavar="CODE", help="Say what a rule asks, why, and how to mend it.")
@sarif_option
@common_options
def command(
    paths: tuple[str, ...],
    tools: Path | None,
    strict: bool | None,
    explain: str | None,
    sarif: TextIO | None,
    config_path: Path | None,
    as_json: bool,
) -> None:
    """Check the tools and write nothing.

    Exit code 1 if there is any error. Name tools or paths to see only their problems.

    With --json: {"ok", "problems": [{"code", "severity", "path", "line", "column", "message", "fix"}]}; with
    --explain, {"ok", "rule": {"code", "name", "severity", "title", "why", "mend", "example"}}.
    """
    if explain:
        _explain(explain, as_json)
        return
    config = load_config(config_path, tools=tools, build__strict=strict)
    wanted = [_located(path, config[keys.TOOLS]) for path in paths]
    problems = _problems(config, wanted, quiet=as_json)
    if sarif:
        from ambidex.cli.sarif import write_sarif

        write_sarif(problems, sarif)
    _tell(problems, config[keys.TOOLS].parent, as_json, on_stderr=sarif is not None and sarif.name == "-")
    leave(Exit.PROBLEMS if any(problem.severity is Severity.ERROR for problem in problems) else Exit.OK)


def _problems(config: Config, wanted: list[Path], *, quiet: bool) -> list[Problem]:
    from ambidex.compiler.compile import lint

    tools = config[keys.TOOLS]
    with progress_bar("Checking", quiet=quiet) as progress:
        found = lint(tools, strict=config[keys.BUILD_STRICT], targets=config[keys.TARGETS], progress=progress)
    return [problem for problem in found if not wanted or _is_below(tools.parent / problem.path, wanted)]


def _located(path: str, tools: Path) -> Path:
    """A path, or a tool's name, as a path inside the tools folder."""
    for place in (Path(path).absolute(), tools / path, tools / path.replace("_", "-")):
        if place.exists() and _is_below(place, [tools]):
            return place
    known = [folder.name for folder in tools.iterdir() if folder.is_dir()] if tools.is_dir() else []
    raise click.UsageError(f"{path!r} is no tool and no path inside {tools}{did_you_mean(path, known)}")


def _is_below(path: Path, folders: Iterable[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


def _tell(problems: list[Problem], root: Path, as_json: bool, *, on_stderr: bool) -> None:
    if as_json:
        errors = any(problem.severity is Severity.ERROR for problem in problems)
        say_json({"ok": not errors, "problems": [problem_json(problem) for problem in problems]})
        return
    print_problems(problems, root, err=on_stderr)
    note(tally(problems) + ("; `ambidex lint --explain CODE` says why a rule exists" if problems else ""))


def _explain(code: str, as_json: bool) -> None:
    from ambidex.compiler.rules import RULES

    by_name = {rule.name: rule for rule in RULES.values()}
    rule = RULES.get(code.upper()) or by_name.get(code)
    if rule is None:
        raise click.UsageError(f"there is no rule {code!r}{did_you_mean(code, [*RULES, *by_name])}")
    if as_json:
        say_json({"ok": True, "rule": _rule_json(rule)})
    else:
        say(_explained(rule))


def _rule_json(rule: Rule) -> dict[str, str]:
    members = ("code", "name", "severity", "title", "why", "mend", "example")
    return {member: str(getattr(rule, member)) for member in members}


def _explained(rule: Rule) -> str:
    parts = [f"{rule.code} {rule.name} ({rule.severity})", rule.title, f"Why: {rule.why}", f"Mend: {rule.mend}"]
    if rule.example:
        parts.append(f"Example:\n{rule.example}")
    return "\n\n".join(parts)
