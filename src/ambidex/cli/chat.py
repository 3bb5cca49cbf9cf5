"""`ambidex chat`: talk to the agent in a terminal, see what its tools do, decide what they ask."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ambidex.cli.artifact import open_artifact
from ambidex.cli.exporting import exporter_for
from ambidex.cli.options import DEBUG_FLAG, artifact_option, common_options
from ambidex.cli.output import Exit, leave, note, on_terminal, say_json
from ambidex.cli.wish import somebody
from ambidex.cli.words import name, words
from ambidex.config import Config, keys

if TYPE_CHECKING:
    from ambidex.agents.events import AgentEvent
    from ambidex.agents.text import Chat
    from ambidex.cli.chat_view import View
    from ambidex.contracts.user import User
    from ambidex.orchestrator import Orchestrator
    from ambidex.registry.registry import Registry
    from ambidex.session.session import Confirmation
    from ambidex.transports.base import TextProvider


@click.command(short_help="Talk to the agent in the terminal.")
@click.argument("message", required=False, callback=words)
@click.option("--provider", help="The model's provider (default: configured; without any key, offline).")
@click.option("--user", "user_id", callback=name, default="local", show_default=True, help="Who talks.")
@click.option("--conversation", callback=words, help="A conversation to go on with (default: a new one).")
@click.option("--store", "url", metavar="URL", help="The store (default: configured).")
@artifact_option
@common_options
def command(
    message: str | None,
    provider: str | None,
    user_id: str,
    conversation: str | None,
    url: str | None,
    artifact: Path | None,
    config_path: Path | None,
    as_json: bool,
) -> None:
    """Talk to the agent in the terminal.

    With MESSAGE it answers once. Without, each line is a message, until the end of the input. What needs your approval
    is shown and asked; where nobody can be asked, it waits, and going on with the same conversation in a terminal
    asks then. With --json: {"ok", "conversation", "provider", "model", "turns": [{"said", "text", "calls", "sources",
    "ended"}]}. The exit code is 1 if the last turn failed.
    """
    from ambidex.agents.providers import open_provider
    from ambidex.errors import Refused

    config, registry = open_artifact(config_path, artifact)
    model = open_provider(config, registry, provider)
    asks = message is None and not as_json and on_terminal(sys.stdin) and on_terminal(sys.stderr)
    talk = Talk(config, registry, model, somebody(user_id, registry), conversation or None, url or config[keys.STORE])
    try:
        with _quiet_log():
            ok = talk.hold(_messages(message, asks), asks=asks, as_json=as_json)
    except Refused as refused:
        from ambidex.cli.answer import tell_refused

        tell_refused(refused.error, user_id, as_json=as_json)
        leave(Exit.PROBLEMS)
    leave(Exit.OK if ok else Exit.PROBLEMS)


@contextmanager
def _quiet_log() -> Iterator[None]:
    """Warnings in the log are for who operates a server; in a conversation they are noise. `--debug` shows them."""
    log = logging.getLogger("ambidex")
    before = log.level
    if not click.get_current_context().meta.get(DEBUG_FLAG):
        log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(before)


def _messages(message: str | None, asks: bool) -> Iterator[str]:
    if message is not None:
        yield message
        return
    while True:
        try:
            line = click.prompt("you", prompt_suffix="> ", err=True) if asks else sys.stdin.readline()
        except (click.Abort, EOFError):
            note()
            return
        if not line:
            return
        if line.strip():
            yield line.strip()


@dataclass(slots=True)
class Talk:
    """One run of the command."""

    config: Config
    registry: Registry
    model: TextProvider
    user: User
    conversation: str | None
    url: str

    def hold(self, messages: Iterator[str], *, asks: bool, as_json: bool) -> bool:
        """Whether the last turn came to a good end. Every turn is a run of the loop of its own: at a question, and at
        the prompt, Ctrl-C ends the program; in a turn, it ends the turn."""
        from ambidex.cli.chat_view import Record, Terminal

        record, view = Record(), Terminal()
        with asyncio.Runner() as loop:
            app = self._app()
            try:
                chat = loop.run(self._open(app))
                if not as_json:
                    note(f"{self._named()}; conversation {chat.id}{'; Ctrl-D ends' if asks else ''}")
                for said in messages:
                    record.begin(said)
                    self._turn(loop, chat, said, [record] if as_json else [record, view])
                    while asks and self._decided(loop, chat):
                        self._shown(loop, chat.go_on(), [record, view])
                if as_json:
                    self._tell(record.turns, chat.id)
                elif not asks and record.turns and record.turns[-1]["ended"] == "approval":
                    note(f"something waits for your approval: `ambidex chat --conversation {chat.id}`, in a terminal")
            finally:
                loop.run(self._close(app))
        return not record.turns or record.turns[-1]["ended"] != "failed"

    def _named(self) -> str:
        """The provider and its model, where that is another name."""
        return ", ".join(dict.fromkeys([self.model.facts.name, self.model.model]))

    def _tell(self, turns: list[dict[str, object]], conversation: str) -> None:
        ok = not turns or turns[-1]["ended"] != "failed"
        about = {"conversation": conversation, "provider": self.model.facts.name, "model": self.model.model}
        say_json({"ok": ok, **about, "turns": turns})

    def _turn(self, loop: asyncio.Runner, chat: Chat, said: str, views: list[View]) -> None:
        self._shown(loop, chat.say(said), views)

    def _shown(self, loop: asyncio.Runner, events: AsyncIterator[AgentEvent], views: list[View]) -> None:
        try:
            loop.run(_show(events, views))
        except KeyboardInterrupt:
            note("\nstopped; what has begun may still end, and is told in the next turn")

    def _decided(self, loop: asyncio.Runner, chat: Chat) -> bool:
        """Ask about everything that waits; whether there was anything."""
        waiting = loop.run(chat.confirmations())
        for request in waiting:
            loop.run(chat.decide(request.token, _said_yes(request)))
        return bool(waiting)

    def _app(self) -> Orchestrator:
        from ambidex.agents.capabilities import agent_capabilities
        from ambidex.orchestrator import Orchestrator
        from ambidex.stores.open import open_store

        store = open_store(self.url)
        audit = exporter_for(store, self.config, self.url)
        capabilities = agent_capabilities(store)
        return Orchestrator(self.registry, store=store, config=self.config, capabilities=capabilities, audit=audit)

    async def _open(self, app: Orchestrator) -> Chat:
        from ambidex.agents.text import TextAgent

        await app.__aenter__()
        return await TextAgent(app, self.model, self.config).open(self.user, self.conversation)

    async def _close(self, app: Orchestrator) -> None:
        await self.model.close()
        await app.close()


async def _show(events: AsyncIterator[AgentEvent], views: list[View]) -> None:
    async for event in events:
        for view in views:
            view.show(event)


def _said_yes(request: Confirmation) -> bool:
    note(request.preview)
    return click.confirm("Do it?", default=False, err=True)
