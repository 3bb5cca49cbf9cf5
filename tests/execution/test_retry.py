"""When a failed attempt is tried again: counted over every combination of flags and errors, and bounded in time."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.apps import Workshop, error_of, one, talking
from tests.support.artifacts import entry

from ambidex import ErrorType, ToolResponse
from ambidex.contracts.response import Fault
from ambidex.contracts.spec import ToolSpec
from ambidex.execution.retry import CAP_MS, Patience, repeating_is_safe, wait_before_retry
from ambidex.testing import FakeClock

FAILING = """\
from pathlib import Path
from ambidex import ErrorType, fail, ok

COUNT = Path({path!r})

async def execute(args, context):
    with COUNT.open("a") as attempts:
        attempts.write(context.idempotency_key + "\\n")
    if len(COUNT.read_text().splitlines()) > {failures}:
        return ok({{"done": args["name"]}})
    return fail(ErrorType({error!r}), "not now", **{fields!r})
"""
SPEC = msgspec.json.decode(msgspec.json.encode(entry()), type=ToolSpec)
"""An idempotent read."""
READ: dict[str, Any] = {"category": "utility", "sideEffects": "read_only"}
WRITE: dict[str, Any] = {"category": "action", "sideEffects": "writes", "idempotent": False}
KINDS: dict[str, tuple[dict[str, Any], bool]] = {
    "an idempotent read": ({**READ, "idempotent": True}, True),
    "a read that is not idempotent": ({**READ, "idempotent": False}, False),
    "a write without help": ({**WRITE, "downstream": "none"}, False),
    "an idempotent write without help": ({**WRITE, "idempotent": True, "downstream": "none"}, False),
    "a write with a key": ({**WRITE, "downstream": "key"}, True),
    "a naturally repeatable write": ({**WRITE, "downstream": "natural"}, True),
}
ERRORS: list[tuple[str, dict[str, Any], bool]] = [
    ("TRANSIENT", {"retryable": True}, True),
    ("RATE_LIMIT", {"retryable": True}, True),
    ("CONFLICT", {"retryable": True}, True),
    ("TRANSIENT", {"retryable": True, "partial_side_effects": True}, False),
    ("CONFLICT", {"retryable": False}, False),
    ("PERMANENT", {"retryable": False}, False),
    ("VALIDATION", {"retryable": False}, False),
    ("NOT_FOUND", {"retryable": False}, False),
]


def _failing(folder: Path, error: str, *, failures: int = 99, flags: dict[str, Any], **fields: Any) -> Workshop:
    code = FAILING.format(path=str(folder / "act.effects"), failures=failures, error=error, fields=fields)
    return Workshop(folder).tool("act", handler=code, timeoutMs=60_000, **flags)


async def _asked(shop: Workshop, clock: FakeClock, mode: str = "text") -> ToolResponse:
    async with talking(shop.build(), clock=clock, mode=mode) as (_, session, _t):
        return await one(session, "act", None, "c1")


@pytest.mark.threat("I07")
@pytest.mark.parametrize(("kind", "error"), list(product(KINDS, range(len(ERRORS)))))
async def test_only_what_is_retryable_and_harmless_to_repeat_is_tried_again(
    tmp_path: Path, kind: str, error: int
) -> None:
    flags, harmless = KINDS[kind]
    type, fields, worth_it = ERRORS[error]
    shop = _failing(tmp_path, type, flags=flags, **fields)
    answer = await _asked(shop, FakeClock())
    attempts = shop.runs("act")
    assert error_of(answer) == type
    assert len(attempts) == (4 if harmless and worth_it else 1)
    assert len(set(attempts)) == 1, "every attempt has the same key"
    assert answer.meta is not None
    assert answer.meta.attempt == len(attempts)


@pytest.mark.threat("I07")
async def test_an_attempt_that_succeeds_is_the_answer(tmp_path: Path) -> None:
    shop = _failing(tmp_path, "TRANSIENT", failures=2, flags=KINDS["a write with a key"][0], retryable=True)
    answer = await _asked(shop, FakeClock())
    assert (answer.ok, answer.meta and answer.meta.attempt) == (True, 3)


@pytest.mark.threat("I08")
@pytest.mark.parametrize(("mode", "most"), [("text", 3), ("voice", 1)])
async def test_waits_are_few_and_short(tmp_path: Path, mode: str, most: int) -> None:
    clock = FakeClock()
    shop = _failing(tmp_path, "TRANSIENT", flags=KINDS["an idempotent read"][0], retryable=True)
    await _asked(shop, clock, mode)
    assert len(shop.runs("act")) == 1 + most
    assert len(clock.slept) == most
    assert all(slept <= 0.2 * 2**number for number, slept in enumerate(clock.slept))


@pytest.mark.threat("I08")
async def test_the_far_sides_wish_to_wait_is_honoured_while_there_is_time(tmp_path: Path) -> None:
    clock = FakeClock()
    flags = KINDS["an idempotent read"][0]
    shop = _failing(tmp_path, "RATE_LIMIT", flags=flags, retryable=True, retry_after_ms=25_000)
    answer = await _asked(shop, clock)
    assert error_of(answer) == "RATE_LIMIT"
    assert clock.slept == [25.0, 25.0], "a third wait would pass the limit of 60 s"


@pytest.mark.threat("I08")
async def test_a_wait_that_would_pass_the_voice_turns_budget_is_not_begun(tmp_path: Path) -> None:
    clock = FakeClock()
    flags = KINDS["an idempotent read"][0]
    shop = _failing(tmp_path, "RATE_LIMIT", flags=flags, retryable=True, retry_after_ms=1_450)
    await _asked(shop, clock, "voice")
    assert (len(shop.runs("act")), clock.slept) == (1, [])


@pytest.mark.threat("I08")
@given(
    attempt=st.integers(1, 60),
    retries=st.integers(0, 50),
    left=st.floats(0, 120_000),
    turn_left=st.none() | st.floats(0, 5_000),
    after=st.none() | st.integers(0, 200_000),
    share=st.floats(0, 1),
)
def test_no_wait_passes_a_limit(
    attempt: int, retries: int, left: float, turn_left: float | None, after: int | None, share: float
) -> None:
    fault = Fault(
        type=ErrorType.TRANSIENT, message="", retryable=True, partial_side_effects=False, retry_after_ms=after
    )
    wait = wait_before_retry(
        SPEC, fault, attempt, Patience(retries, left, turn_left), jitter=lambda low, high: low + share * (high - low)
    )
    assert repeating_is_safe(SPEC)
    if wait is None:
        return
    assert attempt <= retries
    assert (after or 0) <= wait <= max(CAP_MS, after or 0)
    assert wait < left
    assert turn_left is None or wait + SPEC.latency_budget_ms <= turn_left


@pytest.mark.threat("I06")
@pytest.mark.parametrize(
    ("error", "fields", "runs_again"),
    [(type, fields, again) for type, fields, again in ERRORS] + [("AUTH", {"retryable": True}, True)],
)
async def test_a_failure_is_replayed_only_if_it_is_an_outcome(
    tmp_path: Path, error: str, fields: dict[str, Any], runs_again: bool
) -> None:
    """Each type once, then the same call when the cause is gone."""
    shop = _failing(tmp_path, error, failures=1, flags={**WRITE, "downstream": "none"}, **fields)
    async with talking(shop.build()) as (_, session, _t):
        first = await one(session, "act", None, "c1")
        second = await one(session, "act", None, "c1")
    assert error_of(first) == error
    assert second.ok is runs_again
    assert len(shop.runs("act")) == (2 if runs_again else 1)
    if not runs_again:
        assert second.meta is not None
        assert (error_of(second), second.meta.deduplicated) == (error, True)


@pytest.mark.threat("I06")
async def test_refusals_of_gates_are_never_replayed(tmp_path: Path) -> None:
    """VALIDATION, MODE_RESTRICTED, BUDGET_EXCEEDED, NOT_FOUND: the same id with what is right then runs."""
    shop = Workshop(tmp_path).reading("look").writing("pay")
    async with talking(shop.build(), mode="voice") as (_, session, _t):
        assert error_of(await one(session, "look", {"nom": "x"}, "c1")) == "VALIDATION"
        assert error_of(await one(session, "loook", None, "c1")) == "NOT_FOUND"
        assert (await one(session, "look", {"name": "1"}, "c1")).ok
        assert (await one(session, "look", {"name": "2"}, "c2")).ok
        assert error_of(await one(session, "look", {"name": "3"}, "c3")) == "BUDGET_EXCEEDED"
        await session.begin_turn("next")
        assert (await one(session, "look", {"name": "3"}, "c3")).ok
