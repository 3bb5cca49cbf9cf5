"""`ambidex call TOOL JSON`: one call through the whole pipeline, with a person at the terminal to approve it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ambidex.cli.answer import tell, tell_json, tell_next, tell_refused
from ambidex.cli.artifact import open_artifact
from ambidex.cli.exporting import exporter_for
from ambidex.cli.output import Exit, leave, note, on_terminal
from ambidex.cli.printable import printable, printable_json
from ambidex.cli.wish import Wish, read_wish, somebody, wish_options
from ambidex.config import Config, keys
from ambidex.contracts.faults import ErrorType

if TYPE_CHECKING:
    from ambidex.contracts.response import Fault, ToolResponse
    from ambidex.contracts.user import User
    from ambidex.orchestrator import Orchestrator
    from ambidex.registry.registry import Registry
    from ambidex.session.session import Confirmation, Session


@click.command(short_help="Call a tool through the whole pipeline.")
@wish_options
@click.option("--approve", is_flag=True, help="Approve without being asked, should it need a confirmation.")
def command(
    tool: str,
    args: str,
    mode: str,
    user_id: str,
    conversation: str,
    said: str | None,
    approve: bool,
    url: str | None,
    artifact: Path | None,
    config_path: Path | None,
    as_json: bool,
) -> None:
    """Call a tool through the whole pipeline.

    JSON is an object of arguments; - reads it from stdin. Each run is a turn of its own. A call that needs a
    confirmation shows what it would do and asks; where nobody can be asked, --approve says yes beforehand. With --json
    the envelope is printed. The exit code is 1 unless it says ok.
    """
    from ambidex.errors import Refused

    config, registry = open_artifact(config_path, artifact)
    asks = args != "-" and not as_json and on_terminal(sys.stdin) and on_terminal(sys.stderr)
    wish = read_wish(tool, args, mode, conversation, said, registry)
    try:
        answer = _call(wish, somebody(user_id, registry), registry, config, url, approve=approve, asks=asks)
    except Refused as refused:
        tell_refused(refused.error, user_id, as_json=as_json)
        leave(Exit.PROBLEMS)
    tell_json(answer) if as_json else tell(answer)
    if not as_json:
        tell_next(answer)
    leave(Exit.OK if answer.ok else Exit.PROBLEMS)


def _call(
    wish: Wish, user: User, registry: Registry, config: Config, url: str | None, *, approve: bool, asks: bool
) -> ToolResponse:
    """One session of one call, which ends with the command."""
    from ambidex.orchestrator import Orchestrator
    from ambidex.stores.open import open_store

    store = open_store(url or config[keys.STORE])
    audit = exporter_for(store, config, url)
    with asyncio.Runner() as loop:
        app = Orchestrator(registry, store=store, config=config, audit=audit)
        try:
            session = loop.run(_open(app, wish, user))
            try:
                return _settled(loop, session, wish, approve=approve, asks=asks)
            except KeyboardInterrupt:
                note("\nwhat has begun may still end, for a while; `ambidex audit tail` says how it went")
                raise
            finally:
                loop.run(session.close("command_ended"))
        finally:
            loop.run(app.close())


def _settled(loop: asyncio.Runner, session: Session, wish: Wish, *, approve: bool, asks: bool) -> ToolResponse:
    """The answer and, if the call needs one, the user's decision. The person is asked between two runs of the loop, so
    that Ctrl-C at the question ends the program at once."""
    answer = loop.run(_answer(session, wish))
    fault = answer.error
    if fault is None or fault.type is not ErrorType.CONFIRMATION_REQUIRED or not (approve or asks):
        return answer
    request = loop.run(_request(session, fault))
    if request is None:
        return answer
    decide = session.approve if approve or _said_yes(request) else session.reject
    return loop.run(decide(request.token))


async def _open(app: Orchestrator, wish: Wish, user: User) -> Session:
    await app.__aenter__()
    session = await app.open(mode=wish.mode, user=user, conversation=wish.conversation)
    session.channel = _Terminal()
    return session


async def _answer(session: Session, wish: Wish) -> ToolResponse:
    from ambidex.contracts.call import ToolCall

    await session.begin_turn(wish.said)
    [answer] = await session.answer([ToolCall(name=wish.tool, args=wish.args)])
    return answer


class _Terminal:
    """The user's client, as far as a command has one: what a tool sends is printed beside the result."""

    async def send(self, message: Mapping[str, Any]) -> None:
        if message.get("type") == "progress":
            note(f"… {printable(str(message.get('message', '')))}")
        else:
            note(f"message to the user: {printable_json(message)}")


async def _request(session: Session, fault: Fault) -> Confirmation | None:
    """The user's side of it: the arguments whole, and a token that is used and forgotten here."""
    wanted = fault.confirmation_request.id if fault.confirmation_request else ""
    return next((request for request in await session.confirmations() if request.id == wanted), None)


def _said_yes(request: Confirmation) -> bool:
    note(request.preview)
    return click.confirm("Do it?", default=False, err=True)
