"""`ambidex build`: compile, or check that the artifact is fresh, or rebuild at every change."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from ambidex.cli.options import common_options, load_config, sarif_option, strict_option, tools_option
from ambidex.cli.output import Exit, leave, note, plural, say, say_json, shown
from ambidex.cli.problems import print_problems, problem_json, tally
from ambidex.cli.progress import progress_bar
from ambidex.config import Config, keys
from ambidex.errors import ArtifactError, BuildError

if TYPE_CHECKING:
    from ambidex.compiler.report import BuildReport
    from ambidex.contracts.problem import Problem


@dataclass(frozen=True, slots=True)
class _Job:
    """What was asked for, and how to speak about it."""

    config: Config
    fresh: bool
    verify: bool
    as_json: bool
    sarif: TextIO | None

    @property
    def tools(self) -> Path:
        return self.config[keys.TOOLS]

    @property
    def artifact(self) -> Path:
        return self.config[keys.ARTIFACT]

    def show(self, problems: list[Problem]) -> None:
        if self.sarif:
            from ambidex.cli.sarif import write_sarif

            write_sarif(problems, self.sarif)
        if not self.as_json:
            print_problems(problems, self.tools.parent, err=True)


@click.command(short_help="Compile every tool folder into one artifact.")
@tools_option
@click.option(
    "--artifact", "--out", "-o", type=click.Path(dir_okay=False, path_type=Path), help="Where to write the artifact."
)
@strict_option
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if the artifact is stale.")
@click.option("--verify", is_flag=True, help="Then load the artifact in a child process, as a server would.")
@click.option("--watch", is_flag=True, help="Build again at every change, until interrupted.")
@click.option("--fresh", is_flag=True, help="Read every file again instead of trusting size and times.")
@sarif_option
@common_options
def command(
    tools: Path | None,
    artifact: Path | None,
    strict: bool | None,
    check: bool,
    verify: bool,
    watch: bool,
    fresh: bool,
    sarif: TextIO | None,
    config_path: Path | None,
    as_json: bool,
) -> None:
    """Compile every tool folder into one artifact.

    All problems of all tools are told in one run, each with its place and how to mend it. If any is an error, nothing
    is written and the exit code is 1.

    With --json: {"ok", "version", "path", "tools", "changed", "reused", "verified", "problems": [{"code", "severity",
    "path", "line", "column", "message", "fix"}]}; when it failed, {"ok", "problems"}; with --check, {"ok", "fresh",
    "reason", "built", "current", "problems"}.
    """
    if watch and (as_json or check or sarif):
        raise click.UsageError("--watch goes on and on; it cannot be combined with --json, --check or --sarif")
    if check and (verify or fresh):
        raise click.UsageError("--check writes nothing and reads everything; leave --verify and --fresh out")
    if as_json and sarif and sarif.name == "-":
        raise click.UsageError("--json and --sarif - both want stdout; write the SARIF to a file")
    config = load_config(config_path, tools=tools, artifact=artifact, build__strict=strict)
    job = _Job(config, fresh, verify, as_json, sarif)
    if check:
        _check(job)
    elif watch:
        _watch(job)
    elif not _build(job):
        leave(Exit.PROBLEMS)


def _build(job: _Job) -> bool:
    """Build and tell; whether it went well."""
    from ambidex.compiler.compile import build
    from ambidex.compiler.verify import verify

    try:
        with progress_bar("Building", quiet=job.as_json) as progress:
            report = build(
                job.tools,
                job.artifact,
                strict=job.config[keys.BUILD_STRICT],
                targets=job.config[keys.TARGETS],
                fresh=job.fresh,
                progress=progress,
            )
        if job.verify:
            verify(job.artifact, job.tools)
    except BuildError as error:
        _tell_refusal(job, error)
        return False
    _tell_success(job, report)
    return True


def _tell_success(job: _Job, report: BuildReport) -> None:
    job.show(report.warnings)
    if job.as_json:
        say_json(_report_json(job, report))
        return
    verified = ", verified" if job.verify else ""
    unchanged = "" if report.changed else ", unchanged"
    say(f"{shown(report.path)}  {report.version}  {plural(len(report.tools), 'tool')}{verified}{unchanged}")
    if report.warnings:
        note(f"{tally(report.warnings)}; `ambidex lint --explain CODE` says why")


def _report_json(job: _Job, report: BuildReport) -> dict[str, Any]:
    return {
        "ok": True,
        "version": report.version,
        "path": str(report.path),
        "tools": list(report.tools),
        "changed": report.changed,
        "reused": report.reused,
        "verified": job.verify,
        "problems": [problem_json(problem) for problem in report.warnings],
    }


def _tell_refusal(job: _Job, error: BuildError) -> None:
    job.show(error.problems)
    if job.as_json:
        say_json({"ok": False, "problems": [problem_json(problem) for problem in error.problems]})
    else:
        note(f"{tally(error.problems)}; {shown(job.artifact)} was left as it was")
        note("next: mend the errors and build again; `ambidex lint --explain CODE` says why a rule exists")


def _check(job: _Job) -> None:
    from ambidex.compiler.compile import check

    try:
        with progress_bar("Checking", quiet=job.as_json) as progress:
            found = check(
                job.tools,
                job.artifact,
                strict=job.config[keys.BUILD_STRICT],
                targets=job.config[keys.TARGETS],
                progress=progress,
            )
    except BuildError as error:
        _tell_refusal(job, error)
        leave(Exit.PROBLEMS)
    job.show(found.warnings)
    if job.as_json:
        facts = {"fresh": found.fresh, "reason": found.reason, "built": found.built, "current": found.current}
        say_json({"ok": found.fresh, **facts, "problems": [problem_json(problem) for problem in found.warnings]})
    elif found.fresh:
        say(f"{shown(job.artifact)}  {found.built}  fresh")
    else:
        note(f"stale: {shown(job.artifact)} {found.reason}")
        note("next: run `ambidex build`")
    leave(Exit.OK if found.fresh else Exit.PROBLEMS)


def _watch(job: _Job) -> None:
    """Until interrupted; a failed build is told and waited on."""
    from ambidex.compiler.watch import watch

    def rebuild() -> None:
        try:
            _build(job)
        except ArtifactError as error:
            note(f"error: {error}")

    note(f"watching {shown(job.tools)}; Ctrl+C ends it")
    try:
        watch(job.tools, rebuild)
    except KeyboardInterrupt:
        note("no longer watching")
