"""The text agent: a conversation that is kept in the store, and turns of it that are shown as they happen."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import TypeVar

from ambidex.agents import events as shown
from ambidex.agents.brief import Brief, brief_for
from ambidex.agents.events import AgentEvent, ApprovalSettled
from ambidex.agents.failing import BROKEN, STORE_DOWN, failed_by_provider, failed_by_session
from ambidex.agents.memory import adopt, append, forget_some, items_of, row_of, take_back_turn
from ambidex.agents.outbox import Outbox
from ambidex.agents.outcomes import Outcome, collect, request_of
from ambidex.agents.turn import Turn
from ambidex.config import Config, keys
from ambidex.contracts.call import Mode
from ambidex.contracts.faults import ErrorType
from ambidex.contracts.user import User
from ambidex.errors import Refused
from ambidex.execution.where import where
from ambidex.ledger.rows import TurnKind
from ambidex.ledger.spaces import scope_of
from ambidex.orchestrator import Orchestrator
from ambidex.registry.registry import Registry
from ambidex.session.asked import storable
from ambidex.session.session import Confirmation, Session
from ambidex.stores.base import Tx
from ambidex.stores.clock import Clock
from ambidex.stores.errors import StoreUnavailable
from ambidex.transports.base import ProviderFault, TextProvider
from ambidex.transports.items import Item, NoteItem, StepItem, UserItem

T = TypeVar("T")
logger = logging.getLogger("ambidex.agents")
_GONE = frozenset({ErrorType.SESSION_INACTIVE, ErrorType.NOT_FOUND})


class TextAgent:
    """One for a process: a provider, and the orchestrator that its calls go through."""

    def __init__(self, app: Orchestrator, provider: TextProvider, config: Config) -> None:
        self.app = app
        self.provider = provider
        self.max_steps = config[keys.AGENT_MAX_STEPS]
        self.context_tokens = config[keys.AGENT_CONTEXT_TOKENS]
        self.retries = config[keys.PROVIDERS_RETRIES]
        self._config = config
        self._briefs: dict[str, Brief] = {}

    @property
    def clock(self) -> Clock:
        return self.app.clock

    async def open(self, user: User, conversation: str | None = None) -> Chat:
        """The conversation as it was left, or a new one; raises `ambidex.Refused`."""
        self.brief(self.app.registry)  # what is missing is told now, and not in the middle of an answer
        await self.stored(forget_some)
        if conversation is None:
            fresh = await self.app.open(mode=Mode.TEXT, user=user)
            return Chat(self, await self._adopted(user, fresh, ""))
        seen = (await self.stored(lambda tx: row_of(tx, scope_of(user, conversation)))).session
        session = await self._attached(seen, user) if seen else None
        if session is None:
            opened = await self.app.open(mode=Mode.TEXT, user=user, conversation=conversation)
            session = await self._adopted(user, opened, seen)
        return Chat(self, session)

    async def _attached(self, session_id: str, user: User) -> Session | None:
        try:
            session = await self.app.attach(session_id, user=user)
        except Refused as refused:
            if refused.error.type in _GONE:
                return None
            raise
        if session.user == user:
            return session
        await session.close("user_changed")  # its scopes are those of its beginning, and they have changed since
        return None

    async def _adopted(self, user: User, session: Session, seen: str) -> Session:
        """Two workers may open a conversation at once: both go on in the session of the one that was first."""
        scope = scope_of(user, session.conversation)
        found = await self.stored(lambda tx: adopt(tx, scope, seen, session.id))
        if found == session.id:
            return session
        await session.close("opened_twice")
        return await self.app.attach(found, user=user)

    def brief(self, registry: Registry) -> Brief:
        found = self._briefs.get(registry.version)
        return found or self._briefs.setdefault(
            registry.version, brief_for(registry, self.provider.facts, self._config)
        )

    async def stored(self, operation: Callable[[Tx], T]) -> T:
        return await self.app.stored(operation)


class Chat:
    """One conversation with one user. One turn at a time: whoever shows it sees to that."""

    def __init__(self, agent: TextAgent, session: Session) -> None:
        self.agent = agent
        self.session = session
        self.outbox = Outbox()
        session.channel = self.outbox

    def __repr__(self) -> str:
        return f"<Chat, turn {self.session.turn}, {self.agent.provider.facts.name}>"

    @property
    def id(self) -> str:
        return self.session.conversation

    @property
    def scope(self) -> str:
        return scope_of(self.session.user, self.id)

    # Turns

    def say(self, text: str, *, regenerate: bool = False) -> AsyncGenerator[AgentEvent, None]:
        """A message of the user. Regenerating takes back the last turn, and begins one with the same words."""
        return self._shown(self._message(text, regenerate))

    def go_on(self) -> AsyncGenerator[AgentEvent, None]:
        """After decisions: the model reads what became of them. Says nothing where there is nothing to read."""
        return self._shown(self._continuation())

    async def _message(self, text: str, regenerate: bool) -> AsyncGenerator[AgentEvent, None]:
        text, kind = storable(text), TurnKind.MESSAGE
        if regenerate:
            replaced = await self.stored(lambda tx: take_back_turn(tx, self.scope))
            # Without a turn to replace, these are words like any others.
            text, kind = (replaced, TurnKind.REGENERATION) if replaced else (text, kind)
        notes = await self.session.begin_turn(text, kind=kind)
        yield self._started()
        for outcome in await self._collected():
            yield _settled(outcome)
        await self.keep(*(NoteItem(text=note) for note in notes), UserItem(text=text))
        async with aclosing(Turn(self).run()) as events:
            async for event in events:
                yield event

    async def _continuation(self) -> AsyncGenerator[AgentEvent, None]:
        yield self._started()
        for outcome in await self._collected():
            yield _settled(outcome)
        for message in self.outbox.taken():
            yield shown.ClientMessage(message)
        last = (await self.items())[-1:]
        if not last or (isinstance(last[0], StepItem) and not last[0].calls):
            yield shown.TurnEnded("stop")
            return
        async with aclosing(Turn(self).run()) as events:
            async for event in events:
                yield event

    async def _shown(self, events: AsyncGenerator[AgentEvent, None]) -> AsyncGenerator[AgentEvent, None]:
        """Whatever goes wrong, the last event says so. A client that goes away closes the door to itself."""
        self.outbox.reachable, ended = True, False
        try:
            async with aclosing(events):
                async for event in events:
                    yield event
            ended = True
        except Refused as refused:
            yield failed_by_session(refused.error)
            ended = True
        except ProviderFault as fault:
            logger.warning("%s: %s (%s)", self.agent.provider.facts.name, fault.message, fault.kind)
            logger.debug("%s said: %s", self.agent.provider.facts.name, fault.detail)
            yield failed_by_provider(fault)
            ended = True
        except StoreUnavailable:
            yield STORE_DOWN
            ended = True
        except Exception as error:
            logger.error("a turn failed: %s", where(error))
            logger.debug("a turn failed", exc_info=error)
            yield BROKEN
            ended = True
        finally:
            self.outbox.reachable = ended

    def _started(self) -> AgentEvent:
        provider = self.agent.provider
        return shown.TurnStarted(self.id, self.session.turn, provider.facts.name, provider.model)

    # The user's decisions

    async def confirmations(self) -> list[Confirmation]:
        """What waits for the user, each with a fresh token; raises `ambidex.Refused`."""
        return await self.session.confirmations()

    async def decide(self, token: str, approve: bool, *, joining: int | None = None) -> ApprovalSettled:
        """Carry out a decision. The model reads its outcome with `go_on`, or with the user's next message.

        `joining` is the turn that another decision of the same request began.
        """
        request = await self.stored(lambda tx: request_of(tx, self.session, token))
        settle = self.session.approve if approve else self.session.reject
        answer = await settle(token, joining=joining)
        if request is None:
            return ApprovalSettled("", "", "", False, answer)
        waiting = (await self.stored(lambda tx: row_of(tx, self.scope))).waiting
        call_id = next((one.call_id for one in waiting if one.request == request.id), request.call_id)
        return ApprovalSettled(call_id, request.tool, request.id, approve, answer)

    async def _collected(self) -> list[Outcome]:
        view = self.agent.provider.facts.view
        return await self.stored(lambda tx: collect(tx, self.session, view))

    # What is kept

    async def items(self) -> list[Item]:
        return await self.stored(lambda tx: items_of(tx, self.scope))

    async def keep(self, *items: Item) -> int:
        """Behind all that is there; gives the number of what comes next."""
        return await self.stored(lambda tx: append(tx, self.scope, items))

    async def stored(self, operation: Callable[[Tx], T]) -> T:
        return await self.agent.stored(operation)


def _settled(outcome: Outcome) -> ApprovalSettled:
    waiting = outcome.waiting
    return ApprovalSettled(waiting.call_id, waiting.name, waiting.request, outcome.approved, outcome.answer)
