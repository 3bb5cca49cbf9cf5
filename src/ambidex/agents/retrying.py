"""One step of the model, tried again while nothing of it was shown. What the user has seen is never taken back."""

from __future__ import annotations

import random
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import cast

from ambidex.stores.clock import Clock
from ambidex.transports.base import Ask, Finish, ProviderFault, StepEnded, StepEvent, TextProvider
from ambidex.transports.faults import fault as make_fault

BASE_MS, CAP_MS = 500.0, 8_000.0
LONGEST_WAIT_MS = 20_000
"""A provider that asks for more is told to the user instead."""

Jitter = Callable[[float, float], float]


async def step_with_retries(
    provider: TextProvider, ask: Ask, clock: Clock, retries: int, jitter: Jitter = random.uniform
) -> AsyncGenerator[StepEvent, None]:
    """The events of a step that came to its end; raises the `ProviderFault` of the last try.

    A step whose calls were decided is over, so none is ever asked for twice.
    """
    attempt = 0
    while True:
        shown = False
        try:
            events = cast(AsyncGenerator[StepEvent, None], provider.step(ask))
            async with aclosing(events):
                async for event in events:
                    _must_be_usable(event, provider)
                    shown = True
                    yield event
            return
        except ProviderFault as fault:
            wait_ms = wait_before(fault, attempt, retries, jitter)
            if shown or wait_ms is None:
                raise
        attempt += 1
        await clock.sleep(wait_ms / 1000)


def wait_before(fault: ProviderFault, attempt: int, retries: int, jitter: Jitter) -> float | None:
    """Milliseconds before the next try, None when there is to be none. What the provider asked for is the least."""
    asked = float(fault.retry_after_ms or 0)
    if not fault.retryable or attempt >= retries or asked > LONGEST_WAIT_MS:
        return None
    return max(asked, jitter(0, min(CAP_MS, BASE_MS * 2**attempt)))


def _must_be_usable(event: StepEvent, provider: TextProvider) -> None:
    """A step that ended in nothing usable, not even a call that could be answered, is as good as none."""
    if isinstance(event, StepEnded) and event.finish is Finish.ERROR and not event.calls:
        raise make_fault(provider.facts.name, "protocol", detail="the model's answer was unusable")
