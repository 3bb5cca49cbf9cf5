"""How a call ended -> the envelope that is answered, and the form of it that is kept."""

from __future__ import annotations

import msgspec

from ambidex.audit.redact import redact
from ambidex.contracts.call import Category
from ambidex.contracts.response import ToolResponse
from ambidex.contracts.spec import ToolSpec
from ambidex.execution.engine import Ran
from ambidex.execution.results import Result
from ambidex.ledger.finish import LOOK_UP_SLOW, TOOL_SLOW, TURN_SLOW, Ending
from ambidex.policy.decide import Claimed
from ambidex.policy.limits import Limits
from ambidex.registry.registry import Registry
from ambidex.session.context import CallContext
from ambidex.session.envelope import answered, meta_of
from ambidex.stores.clock import Moment


def ending_of(
    claimed: Claimed,
    call_id: str | None,
    ran: Ran,
    context: CallContext,
    registry: Registry,
    limits: Limits,
    now: Moment,
) -> tuple[ToolResponse, Ending]:
    row, prepared = claimed.row, claimed.prepared
    spec = registry._tool(row.tool).spec
    slow = _slow(claimed, ran, spec, limits)
    meta = meta_of(
        tool=spec,
        name=row.tool,
        registry=row.registry,
        call_id=call_id,
        turn=row.turn,
        now=now,
        duration_ms=ran.duration_ms,
        attempt=ran.attempts,
        result=ran.result,
        clamped=prepared.clamped if prepared else None,
        defaulted=prepared.defaulted if prepared else (),
        parent=row.parent,
    )
    response = answered(ran.result, meta, (*(prepared.notices if prepared else ()), *slow.values()))
    ending = Ending(
        response=response,
        state=ran.state,
        args=redacted_args(spec, row.args),
        answer=_redacted_answer(_redacting(spec, ran.result, registry), response),
        duration_ms=ran.duration_ms,
        attempt=ran.attempts,
        intents=ran.result.intents,
        untrusted=spec.untrusted and ran.result.ok,
        handed_over=context.handed_over,
        records=ran.result.records,
        logged=context.logged(),
        over_budget=tuple(slow),
    )
    return response, ending


def _slow(claimed: Claimed, ran: Ran, spec: ToolSpec, limits: Limits) -> dict[str, str]:
    """The soft budgets that were passed, for the audit, and what the model is told of each."""
    took, turn = ran.duration_ms, claimed.turn
    slow = {}
    if took > spec.latency_budget_ms:
        slow[TOOL_SLOW] = f"This took {took:.0f} ms, longer than it should."
    if spec.category is Category.RETRIEVAL and took > limits.retrieval_ms:
        slow[LOOK_UP_SLOW] = f"A look-up should take at most {limits.retrieval_ms:g} ms here; this took {took:.0f}."
    if limits.turn_ms is not None and turn.latency_ms > limits.turn_ms and not turn.warned:
        slow[TURN_SLOW] = "This turn's calls have taken long; answer now rather than calling more tools."
    return slow


def redacted_args(spec: ToolSpec, args: bytes) -> bytes:
    return msgspec.json.encode(redact(msgspec.json.decode(args), spec.redact, "args")) if spec.redact else args


def _redacting(spec: ToolSpec, result: Result, registry: Registry) -> tuple[str, ...]:
    """The paths of the tool, and of those whose answer it passes on."""
    children = [child for name in result.passed_on if (child := registry._specs.get(name))]
    return tuple(path for tool in (spec, *children) for path in tool.redact)


def _redacted_answer(paths: tuple[str, ...], response: ToolResponse) -> bytes:
    if paths and isinstance(response.data, msgspec.Raw):
        data = redact(msgspec.json.decode(response.data), paths, "data")
        response = msgspec.structs.replace(response, data=data)
    return msgspec.json.encode(response)
