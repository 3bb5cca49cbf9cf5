"""One turn: the model speaks or calls, calls are answered, and it speaks again, until there is nothing left to answer.

What is shown and what is kept go together: a step is kept before its calls are decided, and its results as soon as
they are there, also when nobody looks any more.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING

import msgspec

from ambidex.agents import events as shown
from ambidex.agents.citing import cited_in, records_in
from ambidex.agents.doubts import note_doubts
from ambidex.agents.events import AgentEvent
from ambidex.agents.memory import Waiting, append_results, items_of
from ambidex.agents.outcomes import unannounced
from ambidex.agents.retrying import step_with_retries
from ambidex.agents.trimming import trimmed
from ambidex.arguments.parse import Parsed, parse
from ambidex.contracts.call import ToolCall
from ambidex.contracts.faults import ErrorType
from ambidex.contracts.response import ToolResponse
from ambidex.ledger.rows import RequestRow
from ambidex.stores.base import Tx
from ambidex.stores.clock import Moment, rfc3339
from ambidex.transports.base import Ask, CallDelta, CallStarted, Finish, StepEnded, TextDelta
from ambidex.transports.items import ResultItem
from ambidex.transports.views import body_of

if TYPE_CHECKING:
    from ambidex.agents.text import Chat

_REASONS = {Finish.LENGTH: "length", Finish.FILTERED: "filtered"}


class Turn:
    """The model's side of a turn that has begun."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self._session = chat.session
        self._records: dict[str, shown.Cited] = {}
        self._after = 0
        """The number that stands right behind the last step."""

    async def run(self) -> AsyncGenerator[AgentEvent, None]:
        """Its last event is `TurnEnded`. Raises `ProviderFault` and `StoreUnavailable`."""
        for number in range(1, self._chat.agent.max_steps + 1):
            yield shown.StepStarted(number)
            ended: StepEnded | None = None
            async with aclosing(self._step()) as step:
                async for event in step:
                    if isinstance(event, StepEnded):
                        ended = event
                    else:
                        yield event
            assert ended is not None, "a step that did not raise has an end"
            waits = False
            async with aclosing(self._answers(ended)) as answers:
                async for told in answers:
                    waits = waits or isinstance(told, shown.ApprovalWanted)
                    yield told
            for cited in [] if ended.calls else cited_in(ended.item.text, self._records):
                yield cited
            yield shown.StepEnded(number)
            if reason := await self._reason(ended, waits):
                yield shown.TurnEnded(reason)
                return
        yield shown.TurnEnded("steps")

    async def _reason(self, ended: StepEnded, waits: bool) -> str | None:
        """Why the turn is over; None while the model has something to read."""
        if waits:
            return "approval"
        if ended.calls:
            blocked = await self._chat.agent.app.blocks.until(self._session.user)
            return "blocked" if blocked is not None else None
        return None if ended.finish is Finish.PAUSED else _REASONS.get(ended.finish, "stop")

    async def _step(self) -> AsyncGenerator[AgentEvent | StepEnded, None]:
        """Ask the model once; the step is kept before anything is done about it."""
        chat = self._chat
        items = await chat.stored(lambda tx: items_of(tx, chat.scope))
        brief = chat.agent.brief(self._session.registry)
        ask = Ask(brief.system, trimmed(items, chat.agent.context_tokens), brief.tools, brief.optional)
        steps = step_with_retries(chat.agent.provider, ask, chat.agent.clock, chat.agent.retries)
        async with aclosing(steps) as events:
            async for event in events:
                match event:
                    case TextDelta() | CallStarted() | CallDelta():
                        yield event
                    case StepEnded():
                        self._after = await chat.keep(event.item)
                        yield event

    async def _answers(self, ended: StepEnded) -> AsyncGenerator[AgentEvent, None]:
        """Every call of the step, decided and answered; meanwhile, what the tools send to the client."""
        if not ended.calls:
            return
        for call, asked in zip(ended.calls, ended.item.calls, strict=True):
            found = parse(call.args)
            yield shown.CallReady(asked.id, call.name, found.args if isinstance(found, Parsed) else None, asked.args)
        work = self._chat.agent.app.spawn(self._answered(ended.calls))
        try:
            async with aclosing(self._chat.outbox.until(work)) as messages:
                async for message in messages:
                    yield shown.ClientMessage(message)
        finally:
            if not work.done():  # nobody looks any more: what may be stopped is stopped, the rest ends and is kept
                await self._session.cancel([call.id for call in ended.calls if call.id])
        answers, others = work.result()
        for call, answer in zip(ended.calls, answers, strict=True):
            self._records.update((record.id, record) for record in records_in(answer.data))
            yield shown.CallAnswered(call.id or "", call.name, answer)
            if wanted := _approval(call, answer):
                yield wanted
        for request in others:
            yield _unannounced(request)

    async def _answered(self, calls: Sequence[ToolCall]) -> tuple[list[ToolResponse], list[RequestRow]]:
        """Through the pipeline, as one message, and into the conversation; also requests that no answer tells of."""
        facts, chat, turn = self._chat.agent.provider.facts, self._chat, self._session.turn
        answers = await self._session.answer(calls, provider=facts.name if facts.stable_ids else "")
        results = [
            ResultItem(
                call_id=call.id or "",
                name=call.name,
                ok=answer.ok,
                body=body_of(answer, self._session.registry, facts.view),
            )
            for call, answer in zip(calls, answers, strict=True)
        ]
        wanted = [_approval(call, answer) for call, answer in zip(calls, answers, strict=True)]
        waiting = [Waiting(one.request_id, one.call_id, one.name) for one in wanted if one is not None]
        untold = [call.id for call, answer in zip(calls, answers, strict=True) if call.id and _is_unknown(answer)]
        after = self._after

        def operation(tx: Tx) -> list[RequestRow]:
            others = unannounced(tx, self._session, [one.request for one in waiting])
            besides = [Waiting(one.id, _id_of(one), one.tool) for one in others]
            append_results(tx, chat.scope, after, results, [*waiting, *besides])
            note_doubts(tx, chat.scope, turn, untold)
            return others

        return answers, await chat.stored(operation)


def _is_unknown(answer: ToolResponse) -> bool:
    return answer.error is not None and answer.error.type is ErrorType.OUTCOME_UNKNOWN


def _unannounced(request: RequestRow) -> shown.ApprovalWanted:
    """Told as the model is told of any request: with redacted values replaced."""
    args = request.args if request.told_args is None else request.told_args
    preview = request.preview if request.told_preview is None else request.told_preview
    expires = rfc3339(Moment(request.asked.wall + request.ttl_ms, 0, ""))
    return shown.ApprovalWanted(_id_of(request), request.tool, request.id, preview, expires, msgspec.json.decode(args))


def _id_of(request: RequestRow) -> str:
    """A call that a tool made has no id: its request's stands for it."""
    return request.call_id or request.id


def _approval(call: ToolCall, answer: ToolResponse) -> shown.ApprovalWanted | None:
    """The request in an answer; its tool may be another one, which the called tool called."""
    fault = answer.error
    if fault is None or fault.type is not ErrorType.CONFIRMATION_REQUIRED or fault.confirmation_request is None:
        return None
    request = fault.confirmation_request
    return shown.ApprovalWanted(call.id or "", request.tool, request.id, request.preview, request.expires, request.args)
