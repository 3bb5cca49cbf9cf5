"""Audit events about rows. Ids, hashes and outcomes; never a value of an argument."""

from __future__ import annotations

from typing import Any

import msgspec

from ambidex.audit.events import Event, EventKind
from ambidex.ledger.rows import CallRow, SessionRow


def call_event(kind: EventKind, row: CallRow, **more: Any) -> Event:
    event = Event(
        event=kind,
        tenant=row.user.tenant,
        user=row.user.id,
        session=row.session,
        conversation=row.conversation,
        mode=row.mode,
        epoch=row.epoch,
        turn=row.turn,
        tool=row.tool,
        tool_version=row.tool_version,
        registry_version=row.registry,
        args_hash=row.args_hash,
        key=row.key,
        call_id=row.call_id,
        attempt=row.attempt,
        parent=row.parent,
    )
    return msgspec.structs.replace(event, **more) if more else event


def session_event(kind: EventKind, session: SessionRow, **more: Any) -> Event:
    fields: dict[str, Any] = {
        "tenant": session.user.tenant,
        "user": session.user.id,
        "session": session.id,
        "conversation": session.conversation,
        "mode": session.state.mode,
        "epoch": session.epoch,
        "turn": session.turn,
        "registry_version": session.registry,
    }
    return Event(event=kind, **{**fields, **more})
