"""An envelope, as a person reads it: a panel on a terminal; in a pipe the data alone, and the rest on stderr."""

from __future__ import annotations

import sys
from math import ceil
from typing import TYPE_CHECKING

from ambidex.cli.output import console, note, on_terminal, say, say_json
from ambidex.cli.printable import printable, printable_json
from ambidex.contracts.faults import ErrorType

if TYPE_CHECKING:
    from rich.panel import Panel

    from ambidex.contracts.response import Fault, ToolResponse


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


def tell_refused(fault: Fault, user: str, *, as_json: bool) -> None:
    """There was not even a turn."""
    import msgspec

    if as_json:
        say_json({"ok": False, "error": msgspec.to_builtins(fault)})
        return
    wait = f" ({ceil(fault.retry_after_ms / 1000)} s more)" if fault.retry_after_ms else ""
    note(f"error: {fault.type}: {fault.message}{wait}")
    if fault.type is ErrorType.UNAVAILABLE:
        note(f"next: `ambidex blocks lift {user}` ends the block")


_NEXT = {
    ErrorType.CONFIRMATION_REQUIRED: "run the same command with --approve, or on a terminal, where you are asked",
    ErrorType.OUTCOME_UNKNOWN: "look at the far side; calling again asks first, since it may exist already",
    ErrorType.MODE_RESTRICTED: "run it with the other --mode",
}
"""What a person can do; an answer's own suggestion is meant for a model."""


def tell_next(answer: ToolResponse) -> None:
    fault = answer.error
    if fault is None:
        return
    if fault.confirmation_request is not None:
        note(fault.confirmation_request.preview)
    if step := _NEXT.get(fault.type):
        note(f"next: {step}")
    elif fault.retry_after_ms:
        note(f"next: try again in {ceil(fault.retry_after_ms / 1000)} s")
