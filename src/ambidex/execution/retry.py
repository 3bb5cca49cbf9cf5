"""May a failed attempt be tried again, and when?"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from ambidex.contracts.call import Downstream
from ambidex.contracts.response import Fault
from ambidex.contracts.spec import ToolSpec

BASE_MS, CAP_MS = 200.0, 5_000.0

Jitter = Callable[[float, float], float]


@dataclass(frozen=True, slots=True)
class Patience:
    """What is left of a call's time and of its turn's."""

    retries: int
    left_ms: float
    """Until the call's deadline."""
    turn_left_ms: float | None
    """Until the turn takes longer than it should; None where nobody minds."""


def repeating_is_safe(spec: ToolSpec) -> bool:
    if spec.side_effects == "writes":
        return spec.downstream in (Downstream.KEY, Downstream.NATURAL)
    return spec.idempotent


def wait_before_retry(
    spec: ToolSpec, fault: Fault, attempt: int, patience: Patience, jitter: Jitter = random.uniform
) -> float | None:
    """Milliseconds to wait before attempt number `attempt + 1`, or None when there is to be none."""
    if not fault.retryable or fault.partial_side_effects or not repeating_is_safe(spec):
        return None
    if attempt > patience.retries:
        return None
    wait = jitter(0, min(CAP_MS, BASE_MS * 2 ** (attempt - 1)))
    wait = max(wait, float(fault.retry_after_ms or 0))
    if wait >= patience.left_ms:
        return None
    if patience.turn_left_ms is not None and wait + spec.latency_budget_ms > patience.turn_left_ms:
        return None
    return wait
