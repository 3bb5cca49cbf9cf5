"""The root command. It imports a command's file when that command runs, so `--help` stays fast."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from ambidex.cli.options import debug_option

COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("ambidex.cli.init", "Start a project in a new folder."),
    "new": ("ambidex.cli.new", "Scaffold a tool that builds at once."),
    "build": ("ambidex.cli.build", "Compile every tool folder into one artifact."),
    "lint": ("ambidex.cli.lint", "Check the tools and write nothing."),
    "list": ("ambidex.cli.list", "List the tools of the artifact."),
    "show": ("ambidex.cli.show", "Show a tool's documentation and metadata."),
    "schema": ("ambidex.cli.schema", "Print the declarations a provider gets."),
    "prompt": ("ambidex.cli.prompt", "Print the prompt of a mode and its size."),
    "call": ("ambidex.cli.call", "Call a tool through the whole pipeline."),
    "explain": ("ambidex.cli.explain", "Say what every gate would answer to a call."),
    "chat": ("ambidex.cli.chat", "Talk to the agent in the terminal."),
    "serve": ("ambidex.cli.serve", "Serve the agent over HTTP, with a page."),
    "test": ("ambidex.cli.test", "Run the scenarios beside each tool."),
    "kb": ("ambidex.cli.kb", "Fill and search the knowledge base."),
    "blocks": ("ambidex.cli.blocks", "List blocked users, or lift a block."),
    "audit": ("ambidex.cli.audit", "Read the audit, or verify that it is whole."),
    "stats": ("ambidex.cli.stats", "Show how the tools do: calls, latency, errors."),
    "models": ("ambidex.cli.models", "Install and list the models of this machine."),
    "bench": ("ambidex.cli.bench", "Measure what calls, search, serving and builds cost."),
    "doctor": ("ambidex.cli.doctor", "Check installation, configuration and artifact."),
    "completion": ("ambidex.cli.completion", "Print the completion script of a shell."),
}
"""Name -> module and short help, in the order of the flow. A test keeps the help equal to the commands' own."""


class LazyGroup(click.Group):
    """A group that knows its commands by name and loads one when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = import_module(COMMANDS[cmd_name][0]).command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            from ambidex.dialect.nearest import did_you_mean

            ctx.fail(f"there is no command {args[0]!r}{did_you_mean(args[0], COMMANDS)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_text) for name, (_, help_text) in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            from ambidex.cli.failure import end_with

            end_with(ctx, error)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="ambidex", prog_name="ambidex", message="%(prog)s %(version)s")
@debug_option
def cli() -> None:
    """One set of tools for voice and text agents.

    A tool is a folder; `build` compiles all of them into one artifact that both kinds of agent load.
    """


def main() -> None:
    """What the script `ambidex` runs."""
    cli(prog_name="ambidex")
