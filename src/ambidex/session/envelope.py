"""Envelopes, put together at the end of a call: the handler's answer, notices, and the facts in `meta`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from ambidex.arguments.prepare import Prepared
from ambidex.contracts.response import RESPONSE_VERSION, Fault, Meta, ToolResponse
from ambidex.contracts.spec import ToolSpec
from ambidex.execution.results import Result
from ambidex.ledger.rows import CallRow
from ambidex.stores.clock import Moment, rfc3339

encode = msgspec.json.Encoder().encode
"""An envelope as the bytes that are sent and kept: compact, `ok` first."""

_MOST_DEFAULTED = 100
"""Pointers that are told; a long list of objects may have thousands."""
_MOST_KNOWN = 64
DEDUPLICATED = "This is the recorded answer of an identical call; nothing was done again."


def meta_of(
    *,
    tool: ToolSpec | None,
    name: str,
    registry: str,
    call_id: str | None,
    turn: int,
    now: Moment,
    duration_ms: float = 0.0,
    attempt: int = 0,
    result: Result | None = None,
    clamped: Mapping[str, Any] | None = None,
    defaulted: tuple[str, ...] = (),
    parent: str = "",
) -> Meta:
    return Meta(
        tool_id=tool.tool_id if tool else name,
        tool_version=tool.version if tool else "",
        registry_version=registry,
        response_schema_version=RESPONSE_VERSION,
        duration=round(duration_ms, 3),
        timestamp=rfc3339(now),
        call_id=call_id or None,
        turn=turn,
        attempt=attempt,
        clamped=dict(clamped) if clamped else None,
        defaulted=defaulted[:_MOST_DEFAULTED],
        truncated=bool(result and result.truncated),
        degraded=bool(result and result.degraded),
        parent_call_id=parent or None,
        passed_on=result.passed_on if result else (),
    )


class Success:
    """Envelopes of one tool's calls that ended well: the same bytes as of the struct, without making it."""

    __slots__ = ("_defaulted", "_head")

    def __init__(self, spec: ToolSpec, registry: str) -> None:
        meta = Meta(
            tool_id=spec.tool_id,
            tool_version=spec.version,
            registry_version=registry,
            response_schema_version=RESPONSE_VERSION,
            duration=0,
            timestamp="",
            call_id=None,
            turn=0,
            attempt=0,
        )
        self._head = b',"meta":' + encode(meta).partition(b'"duration":')[0] + b'"duration":'
        self._defaulted: dict[tuple[str, ...], bytes] = {}

    def encode(
        self, result: Result, prepared: Prepared, call_id: str, turn: int, duration_ms: float, now: Moment
    ) -> bytes:
        notices = (*result.notices, *prepared.notices)
        named = encode(call_id) if call_id else b"null"
        return b'{"ok":true%b%b%b%b,"timestamp":"%b","callId":%b,"turn":%d,"attempt":1%b%b%b}}' % (
            b',"data":' + bytes(result.data) if result.data is not None else b"",
            b',"notices":' + encode(notices) if notices else b"",
            self._head,
            repr(float(duration_ms)).encode(),
            rfc3339(now).encode(),
            named,
            turn,
            b',"clamped":' + encode(prepared.clamped) if prepared.clamped else b"",
            self._told(prepared.defaulted) if prepared.defaulted else b"",
            b',"degraded":true' if result.degraded else b"",
        )

    def _told(self, defaulted: tuple[str, ...]) -> bytes:
        """What was filled in is nearly always the same few; a list of objects may bring any number of others."""
        found = self._defaulted.get(defaulted)
        if found is None:
            found = b',"defaulted":' + encode(defaulted[:_MOST_DEFAULTED])
            if len(self._defaulted) < _MOST_KNOWN:
                self._defaulted[defaulted] = found
        return found


def answered(result: Result, meta: Meta, notices: tuple[str, ...]) -> ToolResponse:
    return ToolResponse(
        ok=result.ok,
        data=result.data,
        error=result.fault,
        notices=(*result.notices, *notices),
        intents=result.intents,
        meta=meta,
    )


def refused(fault: Fault, meta: Meta) -> ToolResponse:
    return ToolResponse(ok=False, error=fault, meta=meta)


class _Kept(msgspec.Struct, kw_only=True, rename="camel", omit_defaults=True):
    """A recorded envelope, with its data left as the bytes they are."""

    ok: bool
    data: msgspec.Raw = msgspec.Raw(b"")
    error: Fault | None = None
    notices: tuple[str, ...] = ()
    intents: msgspec.Raw = msgspec.Raw(b"")
    meta: Meta | None = None


def recorded(row: CallRow, call_id: str | None, turn: int) -> ToolResponse:
    """The answer of an earlier call, for a repeat of it. Its intents were applied once, so they are not told again."""
    kept = msgspec.json.decode(row.envelope, type=_Kept)
    meta = kept.meta and msgspec.structs.replace(
        kept.meta, call_id=call_id or None, turn=turn, deduplicated=True, original_turn=row.turn
    )
    return ToolResponse(
        ok=kept.ok,
        data=kept.data if bytes(kept.data) else None,
        error=kept.error,
        notices=(*kept.notices, DEDUPLICATED),
        meta=meta,
    )


def with_plain_data(response: ToolResponse) -> ToolResponse:
    """For Python callers: data as dicts and lists of their own."""
    data = response.data
    return (
        msgspec.structs.replace(response, data=msgspec.json.decode(data)) if isinstance(data, msgspec.Raw) else response
    )
