"""`ambidex prompt --mode`: the system prompt of a mode, and what it costs."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from ambidex.cli.artifact import open_artifact
from ambidex.cli.options import artifact_option, common_options, mode_option
from ambidex.cli.output import note, say, say_json
from ambidex.config import keys


@click.command(short_help="Print the prompt of a mode and its size.")
@mode_option(required=True)
@artifact_option
@common_options
def command(mode: str, artifact: Path | None, config_path: Path | None, as_json: bool) -> None:
    """Print the prompt of a mode and its size.

    The prompt goes to stdout, its size in tokens to stderr. With --json: {"ok", "mode", "registryVersion", "prompt",
    "tokens": {"n", "exact", "method"}}.
    """
    from ambidex.agents.prompts import compose
    from ambidex.agents.tokens import count_tokens

    config, registry = open_artifact(config_path, artifact)
    text = compose(
        registry,
        mode,
        directory=config[keys.PROMPTS_DIRECTORY],
        full_docs_up_to=config[keys.PROMPTS_FULL_DOCS_UP_TO],
    )
    size = count_tokens(text)
    if as_json:
        about = {"mode": mode, "registryVersion": registry.version}
        say_json({"ok": True, **about, "prompt": text, "tokens": asdict(size)})
    else:
        say(text.rstrip("\n"))
        note(f"{mode} prompt: {size}")
