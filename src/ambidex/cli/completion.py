"""`ambidex completion SHELL`: click's own completion, as a script to source."""

from __future__ import annotations

from pathlib import Path

import click
from click.shell_completion import get_completion_class

from ambidex.cli.options import debug_option, json_option
from ambidex.cli.output import say, say_json

VARIABLE = "_AMBIDEX_COMPLETE"

_FILES = {"bash": "~/.bashrc", "zsh": "~/.zshrc", "fish": "~/.config/fish/completions/ambidex.fish"}


@click.command(short_help="Print the completion script of a shell.")
@click.argument("shell", type=click.Choice(list(_FILES)))
@json_option
@debug_option
@click.pass_context
def command(ctx: click.Context, shell: str, as_json: bool) -> None:
    """Print the completion script of a shell.

    \b
    bash:  echo 'eval "$(ambidex completion bash)"' >> ~/.bashrc
    zsh:   echo 'eval "$(ambidex completion zsh)"' >> ~/.zshrc
    fish:  ambidex completion fish > ~/.config/fish/completions/ambidex.fish

    The scripts ask the program itself, through the variable _AMBIDEX_COMPLETE, so they never grow old. With --json:
    {"ok", "shell", "file", "script"}.
    """
    kind = get_completion_class(shell)
    assert kind is not None
    script = kind(ctx.find_root().command, {}, "ambidex", VARIABLE).source()
    if as_json:
        say_json({"ok": True, "shell": shell, "file": _FILES[shell], "script": script})
    else:
        say(script)


def tool_names(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Tool ids of the configured artifact, for the completion of arguments; silent when there is none."""
    from ambidex.cli.options import load_config
    from ambidex.config import keys
    from ambidex.errors import AmbidexError
    from ambidex.registry.load import load

    try:
        config = load_config(ctx.params.get("config_path"), artifact=ctx.params.get("artifact"))
        return [tool for tool in load(Path(config[keys.ARTIFACT])).tool_ids() if tool.startswith(incomplete)]
    except AmbidexError:
        return []
