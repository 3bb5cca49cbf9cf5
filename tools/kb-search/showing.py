"""A record as the model sees it. The same file is in kb-search and kb-get: a tool's folder stands for itself."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ambidex.capabilities.links import safe_link

MOST_TEXT = 50_000
"""Characters of a full text: ten such results still fit into what a call may return."""
_ALWAYS = ("id", "type", "title", "source_type", "last_updated")


def shown(record: Any, fields: Collection[str], snippet: str, hosts: Iterable[str]) -> dict[str, Any]:
    """What identifies the record, and those of its `fields` that were asked for."""
    item: dict[str, Any] = {name: getattr(record, name) for name in _ALWAYS}
    if "snippet" in fields:
        item["snippet"] = snippet or None
    if "full_text" in fields:
        item["full_text"] = record.text if len(record.text) <= MOST_TEXT else f"{record.text[: MOST_TEXT - 1]}…"
    if "metadata" in fields:
        item["metadata"] = record.metadata
    if "sources" in fields:
        item["sources"] = list(record.sources)
    if "url" in fields:
        item |= _link(record.url, hosts)
    return item


def _link(url: str | None, hosts: Iterable[str]) -> dict[str, Any]:
    """A link that could deceive is none; one whose host nobody vouches for is marked."""
    link = safe_link(url, hosts)
    return {"url": None} if link is None else {"url": link.url, "url_verified": link.verified}


def vouched_hosts(config: Mapping[str, Any]) -> list[str]:
    """Hosts that the project vouches for: `link_hosts` in its `[values]`, as `example.org` or `*.example.org`."""
    return [host for host in config.get("values", {}).get("link_hosts", ()) if isinstance(host, str)]
