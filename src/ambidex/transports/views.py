"""An envelope as a model reads it: the fields of the transport's view, with outsiders' text wrapped."""

from __future__ import annotations

from typing import Any

from ambidex.contracts.response import ToolResponse
from ambidex.registry.registry import Registry
from ambidex.session.views import View, model_view
from ambidex.transports.untrusted import wrap


def body_of(answer: ToolResponse, registry: Registry, view: View) -> dict[str, Any]:
    """What goes into `ResultItem.body` and `OutcomeItem.body`.

    A tool that passes on another's answer answers with that one's text, so both tools' rules hold for it.
    """
    names = (answer.meta.tool_id, *answer.meta.passed_on) if answer.meta else ()
    tools = [registry.metadata(name) for name in names if name in registry]
    body = model_view(answer, view, redact=[path for about in tools for path in about.get("redact", ())])
    if "data" in body and any(about.get("untrusted") for about in tools):
        body["data"] = wrap(body["data"])
    return body
