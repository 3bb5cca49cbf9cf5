"""The figures of `ambidex bench offline` for people: on the whole and on the part kept aside, beside the goals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ambidex.bench.offline import GOALS

if TYPE_CHECKING:
    from rich.table import Table

_WORDS = {
    "tool": "utterances routed to the right tool",
    "slots": "slots filled right, or asked back for",
    "abstained": "off-topic lines without a call",
    "answered": "abusive lines warned or blocked",
    "rudeBlocked": "rude lines blocked, each said twice",
}


def offline_table(result: dict[str, Any]) -> Table:
    """Green where a goal is held, red where it is not."""
    from rich.table import Table

    title = f"ambidex bench offline   embedder {result['embedder']}, registry {result['registry']}"
    table = Table("figure", title=title, title_justify="left")
    for heading in ("whole", "kept aside", "goal"):
        table.add_column(heading, justify="right")
    for name, words in _WORDS.items():
        rule, goal = GOALS[name]
        table.add_row(words, _cell(result["whole"][name]), _cell(result["held"][name]), f"{rule} {goal:.0%}")
    return table


def _cell(score: dict[str, Any]) -> str:
    colour = "green" if score["held"] else "red"
    return f"[{colour}]{score['right']} of {score['of']} ({score['share']:.0%})[/]"
