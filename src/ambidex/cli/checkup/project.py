"""The project in this folder: its tools, its prompts, its artifact."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ambidex.agents.prompts import PROMPT_FILES
from ambidex.cli.checkup.finding import Finding, State
from ambidex.cli.output import plural, shown
from ambidex.cli.problems import tally
from ambidex.config import Config, keys
from ambidex.dialect.nearest import did_you_mean
from ambidex.errors import AmbidexError, BuildError

AREA = "project"


def project(config: Config) -> Iterator[Finding]:
    yield from map(_unknown_variable, config.unknown_variables)
    tools = config[keys.TOOLS]
    yield _tools(tools)
    yield _prompts(config[keys.PROMPTS_DIRECTORY])
    yield _artifact(config)
    if tools.is_dir() and config[keys.ARTIFACT].is_file():
        yield _freshness(config)


def _unknown_variable(name: str) -> Finding:
    near = did_you_mean(name, [key.variable for key in keys.KEYS])
    return Finding(AREA, name, State.NOTE, f"sets no key{near}", "correct or unset it")


def _tools(folder: Path) -> Finding:
    if not folder.is_dir():
        step = "run `ambidex init NAME`, or set tools in ambidex.toml"
        return Finding(AREA, "tools", State.BROKEN, f"there is no folder {shown(folder)}", step)
    found = sum((entry / "schema.json").is_file() for entry in folder.iterdir())
    return Finding(AREA, "tools", State.OK, f"{shown(folder)}: {plural(found, 'tool')}")


def _prompts(folder: Path) -> Finding:
    absent = [name for name in PROMPT_FILES if not (folder / name).is_file()]
    if absent:
        step = "write them, or set prompts.directory in ambidex.toml"
        return Finding(AREA, "prompts", State.NOTE, f"{shown(folder)} has no {', '.join(absent)}", step)
    return Finding(AREA, "prompts", State.OK, shown(folder))


def _artifact(config: Config) -> Finding:
    """Whether it is there and whole. Handlers are not run here; `ambidex build --verify` does that."""
    from ambidex.registry.load import load

    path = config[keys.ARTIFACT]
    if not path.is_file():
        return Finding(AREA, "artifact", _unless_production(config), f"{shown(path)} is not built", "ambidex build")
    try:
        registry = load(path)
    except AmbidexError as error:
        return Finding(AREA, "artifact", State.BROKEN, str(error), "ambidex build")
    commit = f", commit {registry.git_commit}" if registry.git_commit else ""
    whole = f"{shown(path)}: {registry.version}, {plural(len(registry), 'tool')}{commit}, integrity holds"
    return Finding(AREA, "artifact", State.OK, whole)


def _freshness(config: Config) -> Finding:
    from ambidex.compiler.compile import check

    try:
        found = check(
            config[keys.TOOLS],
            config[keys.ARTIFACT],
            strict=config[keys.BUILD_STRICT],
            targets=config[keys.TARGETS],
        )
    except BuildError as error:
        why = f"the tools do not build: {tally(error.problems)}"
        return Finding(AREA, "freshness", State.BROKEN, why, "ambidex lint")
    except AmbidexError as error:
        return Finding(AREA, "freshness", State.BROKEN, str(error), "ambidex build")
    if found.fresh:
        return Finding(AREA, "freshness", State.OK, "the artifact is up to date")
    return Finding(AREA, "freshness", _unless_production(config), f"the artifact {found.reason}", "ambidex build")


def _unless_production(config: Config) -> State:
    """Development builds again by itself; production refuses."""
    return State.BROKEN if config[keys.ENVIRONMENT] == "production" else State.NOTE
