"""`ambidex doctor`: is everything there, does it work, and where does each setting come from?"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ambidex.cli.checkup.finding import Finding, State
from ambidex.cli.options import artifact_option, common_options, load_config, tools_option
from ambidex.cli.output import Exit, columns, console, leave, note, on_terminal, plural, say, say_json, shown
from ambidex.config import Config, Setting
from ambidex.errors import ConfigError

if TYPE_CHECKING:
    from rich.table import Table

_STYLES = {State.OK: "green", State.NOTE: "yellow", State.BROKEN: "bold red", State.MISSING: "bold red"}


@click.command(short_help="Check installation, configuration and artifact.")
@tools_option
@artifact_option
@common_options
def command(tools: Path | None, artifact: Path | None, config_path: Path | None, as_json: bool) -> None:
    """Check installation, configuration and artifact.

    Exit code 1 if something is broken, 3 if something has to be installed. With --json: {"ok", "findings": [{"area",
    "name", "state", "detail", "next"}], "configuration": [{"key", "value", "origin"}]}.
    """
    config, findings = _examine(config_path, tools, artifact)
    settings = list(config.settings.values()) if config else []
    code = verdict(findings)
    if as_json:
        say_json(
            {
                "ok": code is Exit.OK,
                "findings": [asdict(finding) for finding in findings],
                "configuration": [_setting_json(setting) for setting in settings],
            }
        )
    else:
        _tell(findings, settings)
    leave(code)


def verdict(findings: list[Finding]) -> Exit:
    """What is broken counts before what is missing: installing would not mend it."""
    states = {finding.state for finding in findings}
    if State.BROKEN in states:
        return Exit.PROBLEMS
    return Exit.MISSING if State.MISSING in states else Exit.OK


def _examine(
    config_path: Path | None, tools: Path | None, artifact: Path | None
) -> tuple[Config | None, list[Finding]]:
    from ambidex.cli.checkup.engines import engines
    from ambidex.cli.checkup.installation import installation
    from ambidex.cli.checkup.project import project

    findings = [*installation(), *engines()]
    try:
        config = load_config(config_path, tools=tools, artifact=artifact)
    except ConfigError as error:
        broken = Finding("configuration", "ambidex.toml", State.BROKEN, str(error), "mend it; project not looked at")
        return None, [*findings, broken]
    return config, [*findings, *project(config)]


def _tell(findings: list[Finding], settings: list[Setting]) -> None:
    rows = [(finding.state.value, finding.area, finding.name, finding.detail, finding.next) for finding in findings]
    values = [(setting.key.name, _shown_value(setting.value), _shown_origin(setting)) for setting in settings]
    if on_terminal(sys.stdout):
        terminal = console()
        terminal.print(drawn(("", "", "what", "found", "next"), rows))
        if values:
            terminal.print(drawn(("key", "value", "from"), values))
    else:
        say(columns(rows))
        if values:
            say("\n" + columns(values))
    counts = [(sum(finding.state is state for finding in findings), state) for state in State]
    note(", ".join(f"{n} {state}" for n, state in counts if n) + f" of {plural(len(findings), 'check')}")


def drawn(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Table:
    """A table for a terminal; the word of a state has its colour."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(*head, box=SIMPLE_HEAD, pad_edge=False)
    styles = {state.value: style for state, style in _STYLES.items()}
    for first, *rest in rows:
        table.add_row(Text(first, styles.get(first, "")), *map(Text, rest))
    return table


def _setting_json(setting: Setting) -> dict[str, Any]:
    return {"key": setting.key.name, "value": _plain(setting.value), "origin": setting.origin}


def _plain(value: Any) -> Any:
    match value:
        case Path():
            return str(value)
        case Mapping():
            return {key: _plain(item) for key, item in value.items()}
        case tuple():
            return [_plain(item) for item in value]
        case _:
            return value


def _shown_value(value: Any) -> str:
    match value:
        case Path():
            return shown(value)
        case tuple():
            return ", ".join(map(str, value))
        case bool():
            return str(value).lower()
        case _:
            return str(_plain(value))


def _shown_origin(setting: Setting) -> str:
    path = Path(setting.origin)
    return shown(path) if path.is_absolute() else setting.origin
