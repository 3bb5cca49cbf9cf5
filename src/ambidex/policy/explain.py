"""What every gate would answer to a call, and why. The ladder is climbed for real, in a transaction that never happens.

The decision is the one of `decide` itself, so there is no second opinion that could differ; the steps say how it came
about. Behind the first gate that does not hold nothing is asked: what stands there may rely on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import Any, NoReturn, TypeVar

import msgspec

from ambidex.arguments.prepare import Prepared
from ambidex.audit.events import Event
from ambidex.audit.redact import redact
from ambidex.contracts.call import Category, Mode
from ambidex.contracts.response import Fault
from ambidex.ledger.pruning import kept_writes
from ambidex.ledger.rows import CallRow, SessionRow
from ambidex.ledger.sessions import NotOpened
from ambidex.policy.asking import needs_a_person
from ambidex.policy.climb import Asked, Climb, Rules
from ambidex.policy.decide import Claimed, Decision, Refused, Waiting, Worker, decide
from ambidex.policy.ladder import AFTER_IDENTITY, BEFORE_IDENTITY, Gate
from ambidex.policy.limits import MAX_DEPTH
from ambidex.policy.rates import rate_name, recent
from ambidex.policy.refusing import refusal
from ambidex.policy.seen import Seen, key_of, seen_before
from ambidex.stores.base import Tx

T = TypeVar("T")
CURRENT, ID, NEW, PERSON, FEW = (
    "session_is_current",
    "id_is_not_reused",
    "call_is_new",
    "no_person_is_needed",
    "requests_are_few",
)
"""Steps that are no gates of the ladder's two tuples, under the names that the audit has for their refusals."""


class Verdict(StrEnum):
    PASS = "pass"  # noqa: S105 - a word, and no password
    REFUSE = "refuse"
    REWRITE = "rewrite"
    """It holds, and arguments were filled in or clamped."""
    ASK = "ask"
    DUPLICATE = "duplicate"
    NOT_REACHED = "not_reached"


class Kind(StrEnum):
    """What comes of a call."""

    RUN = "run"
    ASK = "ask"
    REFUSE = "refuse"
    DUPLICATE = "duplicate"
    """It gets the answer of the call that it repeats, or waits for it."""


class Step(msgspec.Struct, frozen=True, rename="camel"):
    gate: str
    sentence: str
    """What must hold, in words."""
    verdict: Verdict
    message: str = ""
    suggestion: str = ""


class Explanation(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    tool: str
    mode: Mode
    turn: int
    decision: Kind
    rule: str = ""
    """Of a refusal: the gate."""
    error_type: str = ""
    """Of a refusal and of a question: what the model would be told."""
    args: dict[str, Any] | None = None
    """As they would run, with redacted values replaced; None when they are not valid."""
    defaulted: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    steps: tuple[Step, ...]

    @property
    def goes_on(self) -> bool:
        """Whether the model gets more than a refusal: an answer, or a question to the user."""
        return self.decision is not Kind.REFUSE


class Undone(Exception):
    """No error: it carries what was found out of a transaction that is rolled back by it."""

    def __init__(self, found: Any) -> None:
        super().__init__()
        self.found = found


def undone(operation: Callable[[Tx], T]) -> Callable[[Tx], NoReturn]:
    """The operation, with all that it writes taken back: it ends by raising `Undone` with what it gave."""

    def run(tx: Tx) -> NoReturn:
        raise Undone(operation(tx))

    return run


def unrecorded(tx: Tx, events: Sequence[Event]) -> None:
    """What is taken back must not be counted either."""


def explain(tx: Tx, asked: Asked, session: SessionRow, rules: Rules, worker: Worker) -> Explanation:
    """Only inside a transaction that is undone: deciding writes."""
    climb = Climb(tx, asked, session, rules)
    steps = [_step(CURRENT, Verdict.PASS, "no newer connection has taken it over"), *_climbed(climb)]
    decision = decide(tx, asked, session, rules, worker, unrecorded)
    if steps[-1].verdict is Verdict.ASK:
        steps.append(_asked(decision))
    return _explanation(asked, session, decision, steps)


def turned_away(asked: Asked, session: SessionRow, why: NotOpened) -> Explanation:
    """The same on a connection that may make no calls any more."""
    fault = refusal(why.type, why.message)
    return _explanation(asked, session, Refused(fault, CURRENT), [_refused(CURRENT, fault)])


def _climbed(climb: Climb) -> Iterator[Step]:
    """Every step up to the first that ends the climb."""
    for step in _held(climb, BEFORE_IDENTITY):
        yield step
        if step.verdict is Verdict.REFUSE:
            return
    seen = seen_before(climb, key_of(climb))
    if isinstance(seen, Fault):
        yield _refused(ID, seen)
        return
    yield _step(ID, Verdict.PASS, f"its id is {climb.asked.call.id!r}" if climb.asked.provider else "it has no id")
    yield _is_new(seen)
    if seen is not None:
        return
    for step in _held(climb, AFTER_IDENTITY):
        yield step
        if step.verdict is Verdict.REFUSE:
            return
    yield _person(climb)


def _held(climb: Climb, ladder: tuple[Gate, ...]) -> Iterator[Step]:
    for gate in ladder:
        name, fault = gate.__name__, gate(climb)
        if fault is not None:
            yield _refused(name, fault)
        elif name == "arguments_are_valid" and (climb.prepared.defaulted or climb.prepared.clamped):
            yield _step(name, Verdict.REWRITE, REASONS[name](climb))
        else:
            yield _step(name, Verdict.PASS, REASONS[name](climb))


def _is_new(seen: Seen | None) -> Step:
    if seen is None:
        return _step(NEW, Verdict.PASS, "it was not made before")
    row = seen.row
    how = f"it is the call of turn {row.turn} again, which is {row.state}"
    return _step(NEW, Verdict.DUPLICATE, f"{how}: {row.error_type}" if row.error_type else how)


_WHY = {
    "requiresConfirmation": "the tool always needs one (requiresConfirmation)",
    "confirmWhen": "the tool's condition confirmWhen holds, or could not be evaluated",
    "untrusted": "text that outsiders wrote has entered since the user last spoke, and the tool writes",
    "doubtful": "an identical write was started and its end is not known",
}


def _person(climb: Climb) -> Step:
    why = needs_a_person(climb)
    return _step(PERSON, Verdict.ASK, _WHY[why]) if why else _step(PERSON, Verdict.PASS, "it may run as it is")


def _asked(decision: Decision) -> Step:
    """Whether the user can be asked at all."""
    if isinstance(decision, Refused):
        return _refused(decision.rule, decision.fault)
    return _step(FEW, Verdict.PASS, "the user can be asked")


def _explanation(asked: Asked, session: SessionRow, decision: Decision, steps: list[Step]) -> Explanation:
    prepared = asked.prepared if isinstance(asked.prepared, Prepared) else None
    fault = decision.fault if isinstance(decision, (Refused, Waiting)) else None
    reached = {step.gate for step in steps}
    return Explanation(
        tool=asked.tool.tool_id if asked.tool else asked.call.name,
        mode=session.state.mode,
        turn=session.turn,
        decision=kind_of(decision),
        rule=decision.rule if isinstance(decision, Refused) else "",
        error_type=str(fault.type) if fault else "",
        args=redact(prepared.args, asked.tool.redact) if prepared and asked.tool else None,
        defaulted=prepared.defaulted if prepared else (),
        notices=prepared.notices if prepared else (),
        steps=(*steps, *(_step(name, Verdict.NOT_REACHED) for name in every_step() if name not in reached)),
    )


def kind_of(decision: Decision) -> Kind:
    if isinstance(decision, Refused):
        return Kind.REFUSE
    if isinstance(decision, Waiting):
        return Kind.ASK
    return Kind.RUN if isinstance(decision, Claimed) and not _taken_over(decision.row) else Kind.DUPLICATE


def _taken_over(row: CallRow) -> bool:
    """A repeat of a call whose worker died, which goes on with it."""
    return row.attempt > 1


def every_step() -> tuple[str, ...]:
    before, after = ([gate.__name__ for gate in ladder] for ladder in (BEFORE_IDENTITY, AFTER_IDENTITY))
    return (CURRENT, *before, ID, NEW, *after, PERSON, FEW)


def _step(gate: str, verdict: Verdict, message: str = "", suggestion: str = "") -> Step:
    return Step(gate, gate.replace("_", " "), verdict, message, suggestion)


def _refused(gate: str, fault: Fault) -> Step:
    return _step(gate, Verdict.REFUSE, f"{fault.type}: {fault.message}", fault.suggestion or "")


# Why a gate holds


def _refusals(climb: Climb) -> str:
    return f"{climb.turn.refusals if climb.turn else 0} of {climb.rules.limits.refusals} refusals in this turn"


def _condition(climb: Climb) -> str:
    return f"its condition holds: {climb.tool.availability}" if climb.tool.availability else "it has no condition"


def _permissions(climb: Climb) -> str:
    return f"the user has {', '.join(climb.tool.permissions)}" if climb.tool.permissions else "it needs none"


def _arguments(climb: Climb) -> str:
    prepared = climb.prepared
    filled = [f"filled in: {', '.join(prepared.defaulted)}"] if prepared.defaulted else []
    return "; ".join([*filled, *prepared.notices]) or "they fit the schema as they are"


def _same(climb: Climb) -> str:
    same = sum(call.args_hash == climb.asked.args_hash and not call.again for call in climb.open_turn.calls)
    return f"made {same} times before in this turn"


def _look_ups(climb: Climb) -> str:
    if climb.discovers or climb.tool.category is not Category.RETRIEVAL:
        return "it is no look-up"
    return f"{climb.open_turn.retrieval} of {climb.rules.limits.retrieval} look-ups used"


def _calls(climb: Climb) -> str:
    turn, limits = climb.open_turn, climb.rules.limits
    if climb.discovers:
        return f"{turn.discovery} of {limits.discovery} questions about tools used"
    used = f"{turn.total} of {limits.total} calls used"
    return f"{used}; hanging up is outside of them" if climb.hangs_up else used


def _rate(climb: Climb) -> str:
    limit = climb.tool.rate_limit
    if limit is None:
        return "it has no rate limit"
    at = recent(climb.tx, rate_name(climb.tool, climb.session), limit.window_ms)
    return f"{len(at)} of {limit.calls} calls in the last {limit.window_ms} ms, per {limit.per}"


def _writes(climb: Climb) -> str:
    if not climb.writes:
        return "it writes nothing"
    return f"{kept_writes(climb.tx)} of {climb.rules.retention.writes} writes are kept"


REASONS: dict[str, Callable[[Climb], str]] = {
    "turn_is_not_used_up": _refusals,
    "arguments_are_json": lambda _: "they are a JSON object",
    "tool_is_known": lambda climb: f"{climb.tool.tool_id} {climb.tool.version}",
    "turn_is_open": lambda climb: f"turn {climb.open_turn.number}",
    "session_is_active": lambda climb: f"it has not ended, in epoch {climb.session.epoch}",
    "user_is_not_blocked": lambda _: "there is no block",
    "mode_is_allowed": lambda climb: f"{climb.session.state.mode} is of {', '.join(climb.tool.allowed_modes)}",
    "tool_is_available": _condition,
    "user_holds_the_permissions": _permissions,
    "call_is_not_too_deep": lambda climb: f"level {climb.asked.depth}, at most {MAX_DEPTH}",
    "arguments_are_valid": _arguments,
    "call_is_still_wanted": lambda _: "it was not taken back",
    "call_is_no_loop": _same,
    "retrieval_is_within_budget": _look_ups,
    "turn_is_within_budget": _calls,
    "rate_is_within_limit": _rate,
    "there_is_room": lambda _: "this process can run one more",
    "store_has_room": _writes,
}
"""Gate -> what it found, where it holds. A test keeps this and the ladder alike."""
