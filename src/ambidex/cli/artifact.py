"""The built artifact, for the commands that read it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ambidex.cli.options import load_config
from ambidex.config import Config, keys
from ambidex.dialect.nearest import did_you_mean
from ambidex.errors import ArtifactError

if TYPE_CHECKING:
    from ambidex.registry.registry import Registry


def open_artifact(config_path: Path | None, artifact: Path | None) -> tuple[Config, Registry]:
    """The configuration and the registry it names."""
    from ambidex.registry.load import load

    config = load_config(config_path, artifact=artifact)
    path = config[keys.ARTIFACT]
    if not path.exists():
        raise ArtifactError(f"there is no artifact {path}")
    return config, load(path)


def known_tool(registry: Registry, name: str) -> str:
    """A tool's id, by id or by folder name; wrong usage, with the nearest name, if there is none."""
    tool = name.replace("-", "_")
    if tool in registry:
        return tool
    raise click.UsageError(
        f"there is no tool {name!r}{did_you_mean(tool, registry.tool_ids())}; `ambidex list` has them all"
    )
