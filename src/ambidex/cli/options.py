"""Options that several commands share, and the configuration they amount to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from ambidex.config import Config

F = TypeVar("F", bound=Callable[..., Any])

JSON_FLAG = "ambidex.json"
DEBUG_FLAG = "ambidex.debug"
"""Keys of the context's `meta`, where whoever ends the program finds how to speak."""


def _remember(flag: str) -> Callable[[click.Context, click.Parameter, bool], bool]:
    def callback(ctx: click.Context, _: click.Parameter, value: bool) -> bool:
        ctx.meta[flag] = ctx.meta.get(flag, False) or value
        return value

    return callback


debug_option = click.option(
    "--debug",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    envvar="AMBIDEX_DEBUG",
    callback=_remember(DEBUG_FLAG),
    help="Show the traceback of an error.",
)
json_option = click.option(
    "--json",
    "as_json",
    is_flag=True,
    is_eager=True,
    callback=_remember(JSON_FLAG),
    help="Print one JSON document on stdout.",
)
config_option = click.option(
    "--config",
    "config_path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Configuration file (default: ./ambidex.toml if there).",
)
tools_option = click.option(
    "--tools", type=click.Path(file_okay=False, path_type=Path), help="Folder of tool folders (default: configured)."
)
artifact_option = click.option(
    "--artifact", type=click.Path(dir_okay=False, path_type=Path), help="The built artifact (default: configured)."
)
strict_option = click.option(
    "--strict/--no-strict", default=None, help="Whether warnings count as errors (default: configured)."
)
sarif_option = click.option(
    "--sarif",
    type=click.File("w", encoding="utf-8", lazy=True),
    metavar="FILE",
    help="Also write the problems as SARIF 2.1.0; - is stdout.",
)


def mode_option(*, required: bool = False) -> Callable[[F], F]:
    return click.option("--mode", type=click.Choice(["text", "voice"]), required=required, help="Mode of the session.")


def common_options(function: F) -> F:
    """`--config`, `--json` and `--debug`, which every command takes."""
    return config_option(json_option(debug_option(function)))


def load_config(config_path: Path | None, **overrides: Any) -> Config:
    """The configuration with the options that were given; a name's double underscore stands for a dot."""
    from ambidex.config import Config

    given = {name.replace("__", "."): value for name, value in overrides.items() if value is not None}
    return Config.load(config_path, overrides=given)
