"""The JSON endpoints: each user sees what is theirs, and a decision over HTTP is a decision."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from tests.server.scripted import Scripted, calls
from tests.server.site import json_of, saying, served, told
from tests.support.apps import Workshop

SEND = calls(("c1", "send", {"name": "Ann"}))
_MORE: dict[str, dict[str, Any]] = {"ann": {"scopes": ["audit", "metrics"]}, "bob": {}, "eve": {"tenant": "other"}}
KEYS: dict[str, Any] = {
    name: {"hash": hashlib.sha256(f"key-of-{name}".encode()).hexdigest(), "user": name, **more}
    for name, more in _MORE.items()
}


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path).reading("look").gated("send").gated("pay").tool("hush", allowedModes=["voice"])


def as_(name: str) -> dict[str, str]:
    return {"authorization": f"Bearer key-of-{name}"}


async def test_tools_are_listed_with_their_metadata(workshop: Workshop) -> None:
    async with served(workshop, Scripted()) as site:
        every = json_of(await site.client.get("/api/tools"))["tools"]
        voice = json_of(await site.client.get("/api/tools?mode=voice"))["tools"]
        text = json_of(await site.client.get("/api/tools?mode=text"))["tools"]
        wrong = await site.client.get("/api/tools?mode=song")
    assert {tool["toolId"] for tool in every} == {"look", "send", "pay", "hush"}
    assert {tool["toolId"] for tool in every} == {tool["toolId"] for tool in voice}
    assert "hush" not in {tool["toolId"] for tool in text}
    assert next(tool for tool in every if tool["toolId"] == "send")["requiresConfirmation"] is True
    assert every[0]["parameters"]["type"] == "object"
    assert wrong.status_code == 400


async def test_a_request_is_listed_with_a_token_and_decided_by_it_once(workshop: Workshop) -> None:
    async with served(workshop, Scripted(SEND)) as site:
        await site.say("send it")
        [request] = json_of(await site.client.get("/api/confirmations?conversation=chat-1"))["confirmations"]
        path = f"/api/confirmations/{request['id']}"
        first = await site.client.post(f"{path}/approve", json={"token": request["token"]})
        again = await site.client.post(f"{path}/approve", json={"token": request["token"]})
        late = await site.client.post(f"{path}/reject", json={"token": request["token"]})
        left = json_of(await site.client.get("/api/confirmations?conversation=chat-1"))["confirmations"]
    assert request["args"] == {"name": "Ann"}
    assert json_of(first)["data"] == json_of(again)["data"] == {"done": "Ann"}
    assert (first.status_code, again.status_code, late.status_code) == (200, 200, 409)
    assert left == []
    assert len(workshop.runs("send")) == 1


async def test_a_token_of_another_request_decides_nothing(workshop: Workshop) -> None:
    both = calls(("c1", "send", {"name": "Ann"}), ("c2", "pay", {"name": "Bob"}))
    async with served(workshop, Scripted(both)) as site:
        await site.say("send and pay")
        listed = json_of(await site.client.get("/api/confirmations?conversation=chat-1"))["confirmations"]
        one, other = listed
        crossed = await site.client.post(f"/api/confirmations/{one['id']}/approve", json={"token": other["token"]})
    assert crossed.status_code == 404
    assert not workshop.runs("send")
    assert not workshop.runs("pay")


async def test_nobody_sees_or_decides_what_is_another_users(workshop: Workshop) -> None:
    async with served(workshop, Scripted(SEND, "Hello Bob."), **{"auth.keys": KEYS}) as site:
        asked = told(await site.client.post("/api/chat", json=saying("send it"), headers=as_("ann")))
        request, token = asked.of("data-confirmation")[0]["id"], asked.of("tool-approval-request")[0]["approvalId"]
        for other in ("bob", "eve"):
            seen = json_of(await site.client.get("/api/confirmations?conversation=chat-1", headers=as_(other)))
            path = f"/api/confirmations/{request}/approve"
            tried = await site.client.post(path, json={"token": token}, headers=as_(other))
            history = json_of(await site.client.get("/api/chat/chat-1", headers=as_(other)))
            assert seen == {"confirmations": []}
            assert tried.status_code == 404
            assert history["messages"] == []
            assert (await site.client.get("/api/chat/chat-1/stream", headers=as_(other))).status_code == 204
        # The same id is another conversation, of another user.
        mine = told(await site.client.post("/api/chat", json=saying("hello"), headers=as_("bob")))
        sessions = json_of(await site.client.get("/api/sessions", headers=as_("bob")))["sessions"]
    assert mine.text == "Hello Bob."
    assert [session["conversation"] for session in sessions] == ["chat-1"]
    assert not workshop.runs("send")


async def test_the_audit_is_for_its_scope_and_its_tenant(workshop: Workshop) -> None:
    async with served(workshop, Scripted(), **{"auth.keys": KEYS}) as site:
        for name in ("ann", "bob", "eve"):
            await site.client.post("/api/chat", json=saying("hello"), headers=as_(name))
        page = json_of(await site.client.get("/api/audit?limit=1000", headers=as_("ann")))
        on = json_of(await site.client.get(f"/api/audit?after={page['next']}", headers=as_("ann")))
        refused = await site.client.get("/api/audit", headers=as_("bob"))
        metrics = await site.client.get("/metrics", headers=as_("ann"))
    assert {line["user"] for line in page["lines"]} == {"ann", "bob"}
    assert on["lines"] == []
    assert refused.status_code == 403
    assert "ambidex_sessions_opened_total" in metrics.text


async def test_health_is_told_to_everybody(workshop: Workshop) -> None:
    async with served(workshop, Scripted(), **{"auth.keys": KEYS}) as site:
        assert json_of(await site.client.get("/healthz")) == {"ok": True}
        ready = await site.client.get("/readyz")
        site.state.ready = False
        stopping = await site.client.get("/readyz")
    assert (ready.status_code, stopping.status_code) == (200, 503)
    assert json_of(ready)["registryVersion"]
