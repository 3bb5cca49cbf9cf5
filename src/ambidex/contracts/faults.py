"""Every way a call can fail, in one table: who may say it, whether a repeat may help, which HTTP status it is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ErrorType(StrEnum):
    VALIDATION = "VALIDATION"
    NOT_FOUND = "NOT_FOUND"
    MODE_RESTRICTED = "MODE_RESTRICTED"
    UNAVAILABLE = "UNAVAILABLE"
    BUDGET_EXCEEDED = "BUDGET_EXCEEDED"
    LOOP_DETECTED = "LOOP_DETECTED"
    CONFIRMATION_REQUIRED = "CONFIRMATION_REQUIRED"
    CONFIRMATION_EXPIRED = "CONFIRMATION_EXPIRED"
    CONFIRMATION_REJECTED = "CONFIRMATION_REJECTED"
    RATE_LIMIT = "RATE_LIMIT"
    SESSION_INACTIVE = "SESSION_INACTIVE"
    SESSION_ACTIVE = "SESSION_ACTIVE"
    AUTH = "AUTH"
    CONFLICT = "CONFLICT"
    TRANSIENT = "TRANSIENT"
    PERMANENT = "PERMANENT"
    CANCELLED = "CANCELLED"
    OUTCOME_UNKNOWN = "OUTCOME_UNKNOWN"
    INTERNAL = "INTERNAL"


class Layer(StrEnum):
    """Who may answer with a type."""

    PIPELINE = "pipeline"
    HANDLER = "handler"


class Verdict(StrEnum):
    """What a type says of retrying, or of side effects left behind."""

    NO = "no"
    YES = "yes"
    AS_SAID = "as it says"
    """The fault itself tells."""
    IF_WRITES = "if the tool writes"


@dataclass(frozen=True, slots=True)
class ErrorRule:
    """One row of the table."""

    http: int
    layers: frozenset[Layer]
    retryable: Verdict
    side_effects: Verdict
    when: str


_PIPELINE = frozenset({Layer.PIPELINE})
_HANDLER = frozenset({Layer.HANDLER})
_BOTH = _PIPELINE | _HANDLER
_NO, _YES, _SAID = Verdict.NO, Verdict.YES, Verdict.AS_SAID

ERROR_TABLE: dict[ErrorType, ErrorRule] = {
    ErrorType.VALIDATION: ErrorRule(400, _BOTH, _NO, _NO, "the arguments break the schema or the domain"),
    ErrorType.NOT_FOUND: ErrorRule(404, _BOTH, _NO, _NO, "no such tool, or no such record"),
    ErrorType.MODE_RESTRICTED: ErrorRule(403, _PIPELINE, _NO, _NO, "the tool is not allowed in this mode"),
    ErrorType.UNAVAILABLE: ErrorRule(
        403, _PIPELINE, _NO, _NO, "a condition, a permission, a missing capability or a block stands against it"
    ),
    ErrorType.BUDGET_EXCEEDED: ErrorRule(429, _PIPELINE, _NO, _NO, "the calls of this turn are used up"),
    ErrorType.LOOP_DETECTED: ErrorRule(409, _PIPELINE, _NO, _NO, "the same call, or a cycle of calls, again"),
    ErrorType.CONFIRMATION_REQUIRED: ErrorRule(428, _PIPELINE, _NO, _NO, "a person has to approve this call first"),
    ErrorType.CONFIRMATION_EXPIRED: ErrorRule(410, _PIPELINE, _NO, _NO, "the approval came too late"),
    ErrorType.CONFIRMATION_REJECTED: ErrorRule(403, _PIPELINE, _NO, _NO, "the person said no"),
    ErrorType.RATE_LIMIT: ErrorRule(429, _BOTH, _YES, _NO, "too many calls; try again after retryAfterMs"),
    ErrorType.SESSION_INACTIVE: ErrorRule(409, _BOTH, _NO, _NO, "the session has ended or no turn has begun"),
    ErrorType.SESSION_ACTIVE: ErrorRule(409, _BOTH, _NO, _NO, "a voice session is already running"),
    ErrorType.AUTH: ErrorRule(401, _HANDLER, _SAID, _NO, "the far side or a namespace refuses this user"),
    ErrorType.CONFLICT: ErrorRule(
        409, _BOTH, _SAID, _SAID, "same key with other arguments, approve against reject, or a clash in the domain"
    ),
    ErrorType.TRANSIENT: ErrorRule(
        503, _BOTH, _YES, _SAID, "the store is down, the same call still runs, or the network failed"
    ),
    ErrorType.PERMANENT: ErrorRule(422, _HANDLER, _NO, _SAID, "the domain says no, and will again"),
    ErrorType.CANCELLED: ErrorRule(499, _PIPELINE, _NO, _SAID, "barge-in, cancellation by the provider, disconnect"),
    ErrorType.OUTCOME_UNKNOWN: ErrorRule(
        500, _PIPELINE, _NO, _YES, "a write was started and its end is not known; it is never run again by itself"
    ),
    ErrorType.INTERNAL: ErrorRule(
        500, _PIPELINE, _NO, Verdict.IF_WRITES, "an uncaught exception or a result that is no envelope"
    ),
}

HANDLER_TYPES: frozenset[ErrorType] = frozenset(t for t, rule in ERROR_TABLE.items() if Layer.HANDLER in rule.layers)
"""What a handler may answer with; any other type from a handler becomes INTERNAL."""
