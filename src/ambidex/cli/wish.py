"""A call as it is typed: the options that `call` and `explain` share, and what they mean."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ambidex.cli.artifact import known_tool
from ambidex.cli.completion import tool_names
from ambidex.cli.options import artifact_option, common_options, mode_option
from ambidex.cli.words import name, words

if TYPE_CHECKING:
    from ambidex.contracts.user import User
    from ambidex.registry.registry import Registry

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.argument("tool", shell_complete=tool_names),
    click.argument("args", metavar="[JSON]", default="{}"),
    mode_option(required=True),
    click.option(
        "--user", "user_id", callback=name, default="local", show_default=True, help="Who calls; every scope is held."
    ),
    click.option(
        "--conversation",
        callback=name,
        default="cli",
        show_default=True,
        help="The conversation, which lasts between calls.",
    ),
    click.option(
        "--said", callback=words, help="What the user said, for conditions and handlers (default: the call itself)."
    ),
    click.option("--store", "url", metavar="URL", help="The store (default: configured)."),
    artifact_option,
    common_options,
)


def wish_options(command: F) -> F:
    """TOOL, JSON, --mode, --user, --conversation, --said, --store, and what every command has."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True)
class Wish:
    """What was typed."""

    tool: str
    args: bytes
    mode: str
    conversation: str
    said: str


def read_wish(tool: str, args: str, mode: str, conversation: str, said: str | None, registry: Registry) -> Wish:
    """Arguments from stdin for `-`; what was said is the call itself unless it is given."""
    tool = known_tool(registry, tool)
    given = sys.stdin.buffer.read() if args == "-" else os.fsencode(args)
    spoken = f"{tool} {given.decode(errors='replace')}" if said is None else said
    return Wish(tool, given, mode, conversation, spoken)


def somebody(user_id: str, registry: Registry) -> User:
    """Somebody who may use every tool there is, and read everything."""
    from ambidex.contracts.user import SHIPPED_NAMESPACES, User

    scopes = (scope for tool in registry.tool_ids() for scope in registry.metadata(tool).get("permissions", ()))
    return User(user_id, scopes=frozenset(scopes), namespaces=SHIPPED_NAMESPACES)
