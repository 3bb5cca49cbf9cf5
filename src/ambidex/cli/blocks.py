"""`ambidex blocks`: who is not listened to for now, and listening to them again."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from ambidex.cli.options import common_options, load_config
from ambidex.cli.output import Exit, columns, console, leave, note, on_terminal, plural, say, say_json
from ambidex.cli.printable import printable
from ambidex.cli.words import name
from ambidex.config import keys

if TYPE_CHECKING:
    from rich.table import Table

    from ambidex.capabilities.blocks import Block, Blocks

T = TypeVar("T")
_HEAD = ("user", "tenant", "until")

tenant_option = click.option(
    "--tenant", callback=name, default="default", show_default=True, help="The tenant of the user."
)
store_option = click.option("--store", "url", metavar="URL", help="The store (default: configured).")


@click.group(short_help="List blocked users, or lift a block.")
def command() -> None:
    """List blocked users, or lift a block."""


@command.command("list")
@tenant_option
@store_option
@common_options
def list_blocks(tenant: str, url: str | None, config_path: Path | None, as_json: bool) -> None:
    """List who is blocked, and until when; the earliest end first.

    With --json: {"ok", "blocks": [{"user", "tenant", "until"}]}.
    """
    nobody: list[Block] = []
    found = _in_store(_store(config_path, url), lambda blocks: blocks.list(tenant), nobody)
    if as_json:
        shown = [{"user": block.user, "tenant": block.tenant, "until": _until(block)} for block in found]
        say_json({"ok": True, "blocks": shown})
        return
    rows = [(printable(block.user), printable(block.tenant), _until(block)) for block in found]
    if rows and on_terminal(sys.stdout):
        console().print(drawn(rows))
    elif rows:
        say(columns([_HEAD, *rows]))
    note(f"{plural(len(rows), 'user')} blocked" if rows else "nobody is blocked")


@command.command()
@click.argument("user", callback=name)
@tenant_option
@store_option
@common_options
def lift(user: str, tenant: str, url: str | None, config_path: Path | None, as_json: bool) -> None:
    """End the block of USER now. It is recorded in the audit.

    The exit code is 1 when there was none. With --json: {"ok", "user", "tenant", "lifted"}.
    """
    from ambidex.contracts.user import User

    whom = User(user, tenant=tenant)
    lifted = _in_store(_store(config_path, url), lambda blocks: blocks.lift(whom), False)
    if as_json:
        say_json({"ok": lifted, "user": user, "tenant": tenant, "lifted": lifted})
    elif lifted:
        say(f"{printable(user)} is listened to again")
    else:
        note(f"error: {printable(user)} is not blocked in the tenant {printable(tenant)}")
        note("next: `ambidex blocks list` shows who is; --tenant names another tenant")
    leave(Exit.OK if lifted else Exit.PROBLEMS)


def _store(config_path: Path | None, url: str | None) -> str:
    return load_config(config_path, store=url)[keys.STORE]


def _in_store(url: str, work: Callable[[Blocks], Awaitable[T]], otherwise: T) -> T:
    """`otherwise` where there is no store yet: looking at it must not make one."""
    kind, _, path = url.partition(":")
    if kind == "sqlite" and not Path(path).exists():
        return otherwise
    return asyncio.run(_run(url, work))


async def _run(url: str, work: Callable[[Blocks], Awaitable[T]]) -> T:
    from ambidex.audit.chain import recorder
    from ambidex.session.blocking import StoreBlocks
    from ambidex.stores.open import open_store
    from ambidex.stores.runner import StoreRunner

    runner = StoreRunner(open_store(url))
    try:
        return await work(StoreBlocks(runner, recorder(runner.store)))
    finally:
        await runner.close()


def _until(block: Block) -> str:
    return block.until.isoformat(timespec="seconds").replace("+00:00", "Z")


def drawn(rows: list[tuple[str, str, str]]) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(*_HEAD, box=SIMPLE_HEAD, pad_edge=False)
    for user, tenant, until in rows:
        table.add_row(Text(user, "bold"), Text(tenant), Text(until))
    return table
