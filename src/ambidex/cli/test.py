"""`ambidex test`: the scenarios beside each tool, through the whole pipeline."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ambidex.cli.completion import tool_names
from ambidex.cli.options import common_options, load_config, tools_option
from ambidex.cli.output import Exit, columns, console, leave, note, on_terminal, plural, say, say_json, shown
from ambidex.cli.printable import printable
from ambidex.cli.progress import progress_bar
from ambidex.config import keys
from ambidex.dialect.nearest import did_you_mean

if TYPE_CHECKING:
    from ambidex.testing.scenarios.compare import Difference
    from ambidex.testing.scenarios.run import ToolReport, Verdict

_HEADINGS = ("Tool", "Passed", "Failed", "Failure Modes shown", "Not shown")


@click.command(short_help="Run the scenarios beside each tool.")
@click.argument("names", nargs=-1, metavar="[TOOL]...", shell_complete=tool_names)
@click.option("--update", is_flag=True, help="Write what each scenario expects anew, from what happened.")
@click.option(
    "--junit", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Also write JUnit XML, for CI."
)
@tools_option
@common_options
def command(
    names: tuple[str, ...],
    update: bool,
    junit: Path | None,
    tools: Path | None,
    config_path: Path | None,
    as_json: bool,
) -> None:
    """Run the scenarios beside each tool.

    A scenario is a file TOOL/scenarios/NAME.json: one call, and what must come of it. Each tool is built alone and
    called through the whole pipeline. The table at the end says which error types of a guide's Failure Modes have a
    scenario. The exit code is 1 if anything fails, or if there is nothing to run.

    With --json: {"ok", "tools": [{"tool", "ok", "problems", "scenarios": [{"name", "path", "ok", "about", "problem",
    "updated", "differences": [{"pointer", "expected", "got"}], "log"}], "failureModes": {type: [names]}}]}.
    """
    from ambidex.testing.scenarios.run import run_scenarios

    place = load_config(config_path, tools=tools)[keys.TOOLS]
    wanted = _known(names, place)
    with progress_bar("Testing", quiet=as_json) as progress:
        reports = run_scenarios(place, wanted, update=update, progress=progress)
    if junit:
        from ambidex.cli.junit import write_junit

        write_junit(reports, junit)
    ran = any(report.verdicts or report.problems for report in reports)
    passed = ran and all(report.passed for report in reports)
    if as_json:
        say_json({"ok": passed, "tools": [_tool_json(report) for report in reports]})
    else:
        _tell(reports, ran=ran)
    leave(Exit.OK if passed else Exit.PROBLEMS)


def _known(names: Sequence[str], tools: Path) -> list[str]:
    """Folders, by their names or by the tools' ids."""
    from ambidex.authoring.folder import tool_folders

    if not tools.is_dir():
        raise click.ClickException(f"there is no folder {shown(tools)}")
    folders = [folder.name for folder in tool_folders(tools)]
    by_id = {folder.replace("-", "_"): folder for folder in folders}
    for name in names:
        if name.replace("-", "_") not in by_id:
            raise click.UsageError(f"there is no tool {name!r} in {shown(tools)}{did_you_mean(name, folders)}")
    return [by_id[name.replace("-", "_")] for name in names]


# For people


def _tell(reports: Sequence[ToolReport], *, ran: bool) -> None:
    if not ran:
        note("there are no scenarios; write one as TOOL/scenarios/NAME.json")
        return
    for report in reports:
        for problem in report.problems:
            say(f"{_mark('FAIL')} {report.tool} cannot be built: {printable(problem)}")
        for verdict in report.verdicts:
            _tell_one(verdict)
    _tell_table(reports)
    verdicts = [verdict for report in reports for verdict in report.verdicts]
    failed = sum(not verdict.passed for verdict in verdicts)
    broken = sum(bool(report.problems) for report in reports)
    counts = [f"{len(verdicts) - failed} passed", f"{failed} failed"]
    counts += [f"{plural(broken, 'tool')} not built"] if broken else []
    updated = sum(verdict.updated for verdict in verdicts)
    counts += [f"{updated} updated; look at the difference before you commit it"] if updated else []
    note(f"{plural(len(verdicts), 'scenario')}: {', '.join(counts)}")


def _tell_one(verdict: Verdict) -> None:
    if verdict.updated:
        say(f"{_mark('updated', 'yellow')} {shown(verdict.path)}")
    if verdict.passed:
        return
    say(f"{_mark('FAIL')} {shown(verdict.path)}")
    say(f"  {printable(verdict.problem or verdict.about)}")
    for difference in verdict.differences:
        _tell_difference(difference)
    for entry in verdict.log:
        say(f"  log: {printable(entry)}")


def _tell_difference(difference: Difference) -> None:
    from ambidex.testing.scenarios.telling import sides

    expected, got = sides(difference)
    say(f"  {click.style(printable(difference.pointer), bold=True)}")
    say(f"    expected  {click.style(expected, fg='green')}")
    say(f"    got       {click.style(got, fg='red')}")


def _mark(word: str, colour: str = "red") -> str:
    """`click.echo` takes the colours out again where nobody can see them."""
    return click.style(word, fg=colour, bold=True)


def _tell_table(reports: Sequence[ToolReport]) -> None:
    rows = [_row(report) for report in reports]
    if not on_terminal(sys.stdout):
        say(columns([_HEADINGS, *rows]))
        return
    from rich.table import Table

    table = Table(*_HEADINGS, box=None, header_style="bold")
    for report, row in zip(reports, rows, strict=True):
        table.add_row(*row, style=None if report.passed else "red")
    console().print(table)


def _row(report: ToolReport) -> tuple[str, ...]:
    if report.problems:
        return report.tool, "-", "-", "-", "does not build"
    failed = sum(not verdict.passed for verdict in report.verdicts)
    hidden = [mode.type for mode in report.modes if not mode.scenarios]
    covered = f"{len(report.modes) - len(hidden)} of {len(report.modes)}"
    return report.tool, str(len(report.verdicts) - failed), str(failed), covered, ", ".join(hidden)


# For programs


def _tool_json(report: ToolReport) -> dict[str, Any]:
    return {
        "tool": report.tool,
        "ok": report.passed,
        "problems": report.problems,
        "scenarios": [_verdict_json(verdict) for verdict in report.verdicts],
        "failureModes": {mode.type: list(mode.scenarios) for mode in report.modes},
    }


def _verdict_json(verdict: Verdict) -> dict[str, Any]:
    return {
        "name": verdict.name,
        "path": str(verdict.path),
        "ok": verdict.passed,
        "about": verdict.about,
        "problem": verdict.problem or None,
        "updated": verdict.updated,
        "differences": [_difference_json(difference) for difference in verdict.differences],
        "log": list(verdict.log),
    }


def _difference_json(difference: Difference) -> dict[str, Any]:
    """A side that is not there has no member."""
    from ambidex.testing.scenarios.compare import ABSENT

    both = {"expected": difference.expected, "got": difference.got}
    return {"pointer": difference.pointer} | {side: value for side, value in both.items() if value is not ABSENT}
