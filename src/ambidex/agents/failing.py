"""A turn that came to no good end: a sentence that is safe to show, by the kind of what went wrong."""

from __future__ import annotations

from math import ceil

from ambidex.agents.events import TurnFailed
from ambidex.contracts.response import Fault
from ambidex.transports.base import ProviderFault

_SENTENCES = {
    "rate_limit": "The model gets too many requests for now.",
    "overloaded": "The model's service is overloaded or out of order. Try again in a moment.",
    "auth": "The model's service does not accept our key. Whoever runs this has to look at it.",
    "refused": "The model's service refused the request. Whoever runs this has to look at it.",
    "network": "The connection to the model's service broke off. Try again.",
    "protocol": "The model's answer could not be understood. Try again.",
}
STORE_DOWN = TurnFailed("store", "The conversation cannot be read or written at the moment. Try again in a moment.")
BROKEN = TurnFailed("internal", "Something went wrong inside. It was written to the log.")


def failed_by_provider(fault: ProviderFault) -> TurnFailed:
    """Never the provider's own words: they may quote a key, or what somebody else said."""
    wait = f" Try again in {ceil(fault.retry_after_ms / 1000)} s." if fault.retry_after_ms else ""
    return TurnFailed(fault.kind, _SENTENCES[fault.kind] + wait, fault.retry_after_ms)


def failed_by_session(error: Fault) -> TurnFailed:
    """There is no turn: the user is blocked, or the session is over."""
    return TurnFailed(str(error.type), error.message, error.retry_after_ms)
