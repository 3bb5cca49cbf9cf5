"""When a step is tried again, and how long is waited before."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambidex.agents.retrying import CAP_MS, LONGEST_WAIT_MS, wait_before
from ambidex.transports.base import ProviderFault


def fault(*, retryable: bool = True, after: int | None = None) -> ProviderFault:
    return ProviderFault("overloaded", "busy", retryable=retryable, retry_after_ms=after)


@given(attempt=st.integers(0, 60), share=st.floats(0, 1), after=st.integers(0, LONGEST_WAIT_MS))
def test_the_wait_grows_to_a_limit_and_is_never_shorter_than_asked(attempt: int, share: float, after: int) -> None:
    wait = wait_before(fault(after=after), attempt, attempt + 1, lambda low, high: low + share * (high - low))
    assert wait is not None
    assert after <= wait <= max(CAP_MS, after)


@pytest.mark.parametrize(
    ("given_fault", "attempt"),
    [(fault(retryable=False), 0), (fault(), 3), (fault(after=LONGEST_WAIT_MS + 1), 0)],
)
def test_there_is_no_other_try_for_what_will_not_help(given_fault: ProviderFault, attempt: int) -> None:
    assert wait_before(given_fault, attempt, 3, lambda _, high: high) is None
