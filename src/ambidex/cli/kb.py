"""`ambidex kb`: what the agent knows. Each command has its own file."""

from __future__ import annotations

import click

from ambidex.cli.kb_import import import_files
from ambidex.cli.kb_search import get, search
from ambidex.cli.kb_upkeep import reindex, stats


@click.group(short_help="Fill and search the knowledge base.")
def command() -> None:
    """Fill and search the knowledge base.

    It is one file (`kb.path` in the configuration) and what is derived from it; `kb import` makes it.
    """


for part in (import_files, search, get, stats, reindex):
    command.add_command(part)
