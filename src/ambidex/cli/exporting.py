"""The audit of a command that runs calls: where its lines go besides the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ambidex.config import Config, keys

if TYPE_CHECKING:
    from ambidex.audit.export import AuditExporter
    from ambidex.stores.base import Store


def exporter_for(store: Store, config: Config, url: str | None) -> AuditExporter | None:
    """The audit's folder belongs to the configured store; one that `url` names instead keeps its lines to itself."""
    if not store.durable or (url and url != config[keys.STORE]):
        return None
    from ambidex.audit.export import AuditExporter

    return AuditExporter(
        store,
        config[keys.AUDIT_DIRECTORY],
        anchor_file=config[keys.AUDIT_ANCHORS],
        rotate_bytes=config[keys.AUDIT_ROTATE_BYTES],
    )
