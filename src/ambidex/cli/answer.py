"""An envelope, as a person reads it: a panel on a terminal; in a pipe the data alone, and the rest on stderr."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ambidex.cli.output import console, note, on_terminal, say
from ambidex.cli.printable import printable, printable_json

if TYPE_CHECKING:
    from rich.panel import Panel

    from ambidex.contracts.response import ToolResponse


def tell_json(answer: ToolResponse) -> None:
    """The envelope as it stands."""
    import msgspec

    say(msgspec.json.format(msgspec.json.encode(answer), indent=2).decode())


def tell(answer: ToolResponse) -> None:
    if on_terminal(sys.stdout):
        console().print(drawn(answer))
        return
    if answer.ok:
        say(printable_json(answer.data, indent=2))
    else:
        note(f"error: {_failure(answer)}")
    for notice in answer.notices:
        note(f"notice: {printable(notice)}")
    note(_meta(answer))


def drawn(answer: ToolResponse) -> Panel:
    """The panel of a terminal: how it went, what came of it, and the facts below."""
    from rich.console import Group, RenderableType
    from rich.json import JSON
    from rich.panel import Panel
    from rich.text import Text

    parts: list[RenderableType] = [JSON(printable_json(answer.data))] if answer.ok else [Text(_failure(answer), "red")]
    parts += [Text(f"notice: {printable(notice)}", "yellow") for notice in answer.notices]
    colour = "green" if answer.ok else "red"
    tool = answer.meta.tool_id if answer.meta else ""
    return Panel(
        Group(*parts),
        title=Text.assemble((tool, "bold"), " ", ("ok" if answer.ok else "failed", colour)),
        title_align="left",
        subtitle=Text(_meta(answer), "dim"),
        subtitle_align="left",
        border_style=colour,
    )


def _failure(answer: ToolResponse) -> str:
    fault = answer.error
    assert fault is not None
    return f"{fault.type}: {printable(fault.message)}"


def _meta(answer: ToolResponse) -> str:
    """Tool, version, turn, time; and what a reader would otherwise wonder about."""
    meta = answer.meta
    if meta is None:
        return ""
    facts = [f"{meta.tool_id} {meta.tool_version}".strip(), f"registry {meta.registry_version}", f"turn {meta.turn}"]
    if meta.attempt:
        facts.append(f"{meta.duration:.0f} ms")
    if meta.attempt > 1:
        facts.append(f"attempt {meta.attempt}")
    for said, word in ((meta.deduplicated, "recorded answer"), (meta.truncated, "cut"), (meta.degraded, "degraded")):
        facts += [word] if said else []
    facts += [f"default: {', '.join(meta.defaulted)}"] if meta.defaulted else []
    facts += [f"clamped: {', '.join(meta.clamped)}"] if meta.clamped else []
    return ", ".join(facts)
