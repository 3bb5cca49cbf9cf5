"""An envelope as a model reads it: the fields of the transport's view, with outsiders' text wrapped."""

from __future__ import annotations

from typing import Any

from ambidex.contracts.response import ToolResponse
from ambidex.registry.registry import Registry
from ambidex.session.views import View, model_view
from ambidex.transports.untrusted import wrap


def body_of(answer: ToolResponse, registry: Registry, view: View) -> dict[str, Any]:
    """What goes into `ResultItem.body` and `OutcomeItem.body`."""
    tool = answer.meta.tool_id if answer.meta else ""
    about = registry.metadata(tool) if tool in registry else {}
    body = model_view(answer, view, redact=about.get("redact", ()))
    if about.get("untrusted") and "data" in body:
        body["data"] = wrap(body["data"])
    return body
