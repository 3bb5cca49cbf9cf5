"""`ambidex explain TOOL JSON`: what every gate would answer to a call, and why. Nothing runs and nothing is written."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ambidex.cli.artifact import open_artifact
from ambidex.cli.output import Exit, columns, console, leave, note, on_terminal, say, say_json
from ambidex.cli.printable import printable, printable_json
from ambidex.cli.wish import Wish, read_wish, somebody, wish_options
from ambidex.config import Config, keys

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ambidex.contracts.user import User
    from ambidex.policy.explain import Explanation, Step
    from ambidex.registry.registry import Registry
    from ambidex.stores.base import Tx

_SIGNS = {"pass": "✓", "rewrite": "✓", "refuse": "✗", "ask": "?", "duplicate": "=", "not_reached": "·"}
_COLOURS = {"pass": "green", "rewrite": "yellow", "refuse": "red", "ask": "yellow", "duplicate": "cyan"}
_DECISIONS = {
    "run": "it would run",
    "ask": "the user would be asked first",
    "refuse": "it would be refused",
    "duplicate": "it would get the answer of the call that it repeats",
}


@click.command(short_help="Say what every gate would answer to a call.")
@wish_options
def command(
    tool: str,
    args: str,
    mode: str,
    user_id: str,
    conversation: str,
    said: str | None,
    url: str | None,
    artifact: Path | None,
    config_path: Path | None,
    as_json: bool,
) -> None:
    """Say what every gate would answer to a call.

    The same call as with `ambidex call`, in a new turn of the conversation as it is now; but nothing runs, nobody is
    asked, and the store stays as it is. JSON is an object of arguments; - reads it from stdin. With --json: {"ok",
    "tool", "mode", "turn", "decision", "rule", "errorType", "args", "defaulted", "notices", "steps"}. The exit code is
    1 if it would be refused.
    """
    config, registry = open_artifact(config_path, artifact)
    wish = read_wish(tool, args, mode, conversation, said, registry)
    explanation = _explained(wish, somebody(user_id, registry), registry, config, url)
    _tell_json(explanation) if as_json else _tell(explanation)
    leave(Exit.OK if explanation.goes_on else Exit.PROBLEMS)


def _explained(wish: Wish, user: User, registry: Registry, config: Config, url: str | None) -> Explanation:
    """In one transaction, which is taken back."""
    from ambidex.cli.audit import open_existing
    from ambidex.policy.explain import Undone, undone
    from ambidex.stores.memory import MemoryStore

    with open_existing(url or config[keys.STORE]) as found:
        store = found or MemoryStore()
        try:
            return store.run(undone(lambda tx: _in_a_new_turn(tx, wish, user, registry, config)), lasting=False)
        except Undone as looked:
            explanation: Explanation = looked.found
            return explanation


def _in_a_new_turn(tx: Tx, wish: Wish, user: User, registry: Registry, config: Config) -> Explanation:
    from ambidex.contracts.call import Mode, ToolCall
    from ambidex.ledger.rows import SessionRow, State, TurnKind
    from ambidex.ledger.sessions import NotOpened, begin_turn, open_session
    from ambidex.policy.climb import Rules
    from ambidex.policy.conditions import Conditions
    from ambidex.policy.decide import Worker
    from ambidex.policy.explain import explain, turned_away, unrecorded
    from ambidex.session.asked import ask, tidy
    from ambidex.session.settings import settings_of

    mode, settings = Mode(wish.mode), settings_of(config)
    asked = ask(tidy(ToolCall(name=wish.tool, args=wish.args)), registry, mode, provider="api")
    version = (registry.version, registry.content_hash)
    session = open_session(tx, user, mode, wish.conversation, *version, "", unrecorded)
    if isinstance(session, NotOpened):
        nobody = SessionRow(
            id="",
            user=user,
            conversation=wish.conversation,
            registry=registry.version,
            content_hash=registry.content_hash,
            state=State(mode=mode),
            opened=tx.now,
        )
        return turned_away(asked, nobody, session)
    begun = begin_turn(tx, session.id, session.epoch, wish.said, TurnKind.MESSAGE, unrecorded)
    if isinstance(begun, NotOpened):
        return turned_away(asked, session, begun)
    limits, confirmation = settings.limits[mode], settings.confirmation
    rules = Rules(limits, confirmation, settings.retention, settings.public, Conditions())
    return explain(tx, asked, begun.session, rules, Worker("explain"))


def _tell_json(explanation: Explanation) -> None:
    import msgspec

    say_json({"ok": explanation.goes_on, **msgspec.to_builtins(explanation)})


def _tell(explanation: Explanation) -> None:
    if on_terminal(sys.stdout):
        console().print(drawn(explanation))
    else:
        say(columns([(_SIGNS[step.verdict], step.sentence, _reason(step)) for step in explanation.steps]))
        say("")
        say(_verdict(explanation))
    if explanation.args is not None:
        note(f"arguments: {printable_json(explanation.args)}")
    for step in explanation.steps:
        if step.suggestion:
            note(f"the model would be told: {printable(step.suggestion)}")


def drawn(explanation: Explanation) -> RenderableType:
    """The ladder as a tree, for a terminal: a rung for each gate, and what was found there below it."""
    from rich.text import Text
    from rich.tree import Tree

    about = f" in {explanation.mode}, turn {explanation.turn}"
    tree = Tree(Text.assemble((explanation.tool, "bold"), (about, "dim")), guide_style="dim")
    for step in explanation.steps:
        colour = _COLOURS.get(step.verdict, "dim")
        tree.add(Text.assemble((f"{_SIGNS[step.verdict]} {step.sentence}", colour), "  ", (_reason(step), "dim")))
    tree.add(Text(_verdict(explanation), f"bold {_COLOURS.get(explanation.decision, 'green')}"))
    return tree


def _reason(step: Step) -> str:
    return "not reached" if step.verdict == "not_reached" else printable(step.message)


def _verdict(explanation: Explanation) -> str:
    if not explanation.rule:
        return _DECISIONS[explanation.decision]
    return f"{_DECISIONS[explanation.decision]}: {explanation.error_type}, by {explanation.rule}"
