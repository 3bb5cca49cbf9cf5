"""Words from the command line that end up in the store: they must be text, and a name must not be empty."""

from __future__ import annotations

import click


def words(_: click.Context | None, __: click.Parameter | None, value: str | None) -> str | None:
    """Text that UTF-8 can carry; a shell may hand over any bytes."""
    try:
        (value or "").encode()
    except UnicodeEncodeError:
        raise click.BadParameter("this is not valid UTF-8") from None
    return value


def name(ctx: click.Context | None, parameter: click.Parameter | None, value: str) -> str:
    """The same, and not empty."""
    if not words(ctx, parameter, value):
        raise click.BadParameter("a name has at least one character")
    return value
