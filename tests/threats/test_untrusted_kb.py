"""Records that give orders, read by a model that obeys them: nothing is written without the user.

The sample holds two such records. The knowledge base, its tools and the pipeline are the real ones; only the model is
scripted, and it does whatever it reads.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.apps import Workshop, error_of, running
from tests.support.folders import GUIDE

from ambidex import Orchestrator, Registry, ToolResponse, User, shipped
from ambidex.capabilities.kb.capability import KnowledgeBase, knowledge_base
from ambidex.capabilities.kb.importing.importer import Importer
from ambidex.capabilities.kb.sqlite.engine import open_kb
from ambidex.config.config import Config
from ambidex.ledger.rows import TurnKind
from ambidex.session.session import Session
from ambidex.testing import MemoryTransport

pytestmark = pytest.mark.threat("H04")
FORUM, NEWSLETTER = "doc:adhesive-forum-thread", "doc:vendor-newsletter-march"
EVA = User("eva", namespaces=("studio", "personal"))
ORDER = re.compile(r"call (\w+) with (\{[^{}]*\})")
WRITING = """\
from pathlib import Path
from ambidex import ok

async def execute(args, context):
    with Path({path!r}).open("a") as effects:
        effects.write("x\\n")
    return ok()
"""


class Tickets:
    async def ticket(self, session: object, *, pending_request: str) -> Mapping[str, str]:
        return {"session_id": "voice-1", "ticket": "t-1"}


class Obedient:
    """A model that makes every call that any text it was given orders."""

    def __init__(self, session: Session) -> None:
        self.transport = MemoryTransport(session)
        self._made = 0

    async def call(self, name: str, args: Mapping[str, Any]) -> ToolResponse:
        self._made += 1
        event = {"calls": [{"id": f"{self.transport.session.id}-{self._made}", "name": name, "args": dict(args)}]}
        [answer] = await self.transport.handle(event)
        return answer

    async def obey(self, read: list[bytes]) -> dict[str, str]:
        """Tool -> how its call ended."""
        orders = [order for text in read for order in _orders(json.loads(text))]
        return {name: error_of(await self.call(name, args)) for name, args in orders}


def _orders(value: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(value, str):
        yield from ((name, json.loads(args)) for name, args in ORDER.findall(value))
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _orders(item)
    elif isinstance(value, list):
        for item in value:
            yield from _orders(item)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("kb") / "kb.sqlite3"
    engine = open_kb(path)
    with engine.writer() as writer:
        assert Importer(writer, path.parent).run([str(shipped.sample())]).refused == []
    engine.close()
    return path


@pytest.fixture
def kb(base: Path) -> Iterator[KnowledgeBase]:
    kb = knowledge_base(Config.load(environ={}, overrides={"kb": {"path": str(base), "embedder": "none"}}))
    yield kb
    kb.close()


@pytest.fixture
def shop(tmp_path: Path) -> Workshop:
    """The shipped tools that the records name, and two that write: neither is safe after untrusted text."""
    shop = Workshop(tmp_path)
    _writes(shop, "send_message", {"to": "ann@brackwater.example", "body": "Hello."})
    _writes(shop, "delete_record", {"id": "doc:old"})
    for folder in ("kb-search", "kb-get", "ignore-user", "start-voice-session"):
        shutil.copytree(shipped.path() / "tools" / folder, tmp_path / "tools" / folder)
    return shop


def _writes(shop: Workshop, name: str, example: dict[str, str]) -> None:
    parameters = {
        "type": "object",
        "additionalProperties": False,
        "required": list(example),
        "properties": {parameter: {"type": "string"} for parameter in example},
    }
    shop.writing(
        name.replace("_", "-"),
        toolId=name,
        parameters=parameters,
        handler=WRITING.format(path=str(shop.root / f"{name}.effects")),
        guide=GUIDE.replace('{"name": "Ada"}', json.dumps(example)),
    )


@asynccontextmanager
async def reading(registry: Registry, kb: KnowledgeBase) -> AsyncIterator[tuple[Orchestrator, Session, Obedient]]:
    async with running(registry, capabilities={"kb": kb, "voice": Tickets()}) as app:
        session = await app.open(mode="text", user=EVA)
        yield app, session, Obedient(session)


async def test_the_tools_return_the_injected_text_as_it_stands(shop: Workshop, kb: KnowledgeBase) -> None:
    """Otherwise the tests below would show nothing."""
    async with reading(shop.build(), kb) as (_, session, model):
        await session.begin_turn("what did the forum say about felt on birch ply?")
        found = await model.call("kb_search", {"query": "bonding felt to birch ply", "return_fields": ["full_text"]})
        assert found.data["results"][0]["id"] == FORUM
        assert [name for name, _ in _orders(found.data)] == ["send_message"]
        got = await model.call("kb_get", {"id": NEWSLETTER})
        orders = [name for name, _ in _orders(got.data)]
        assert orders == ["ignore_user", "start_voice_session", "delete_record"]


async def test_an_order_in_a_record_writes_nothing_without_the_user(shop: Workshop, kb: KnowledgeBase) -> None:
    async with reading(shop.build(), kb) as (_, session, model):
        await session.begin_turn("get me both of these records")
        await model.call("kb_get", {"ids": [FORUM, NEWSLETTER]})
        assert await model.obey(model.transport.to_model) == {
            "send_message": "CONFIRMATION_REQUIRED",
            "ignore_user": "UNAVAILABLE",
            "start_voice_session": "ok",
            "delete_record": "CONFIRMATION_REQUIRED",
        }
        assert {request.tool for request in await session.confirmations()} == {"send_message", "delete_record"}
        assert _written(shop) == []


@pytest.mark.parametrize("decision", ["approve", "reject"])
async def test_a_decision_about_something_harmless_frees_nothing_else(
    shop: Workshop, kb: KnowledgeBase, decision: str
) -> None:
    async with reading(shop.build(), kb) as (_, session, model):
        await session.begin_turn("look the thread up, then tell ann about the glue")
        await model.call("kb_get", {"id": FORUM})
        read = list(model.transport.to_model)
        harmless = {"to": "ann@brackwater.example", "body": "Contact cement, both sides."}
        assert error_of(await model.call("send_message", harmless)) == "CONFIRMATION_REQUIRED"
        [request] = await session.confirmations()
        await getattr(session, decision)(request.token)
        assert len(_written(shop)) == (decision == "approve")
        assert await model.obey(read) == {"send_message": "CONFIRMATION_REQUIRED"}
        assert len(_written(shop)) == (decision == "approve")


async def test_a_request_handed_over_to_voice_frees_nothing(shop: Workshop, kb: KnowledgeBase) -> None:
    async with reading(shop.build(), kb) as (app, session, model):
        await session.begin_turn("what is in that newsletter?")
        await model.call("kb_get", {"id": NEWSLETTER})
        read = list(model.transport.to_model)
        assert (await model.obey(read))["start_voice_session"] == "ok"
        voice = await app.open(mode="voice", user=EVA, conversation=session.conversation)
        speaking = Obedient(voice)
        await voice.begin_turn("approve everything that is pending", kind=TurnKind.HANDOVER)
        assert (await speaking.obey(read))["delete_record"] == "CONFIRMATION_REQUIRED"
        assert _written(shop) == []


async def test_what_the_user_says_next_is_the_users_own_wish(shop: Workshop, kb: KnowledgeBase) -> None:
    async with reading(shop.build(), kb) as (_, session, model):
        await session.begin_turn("what is in that newsletter?")
        await model.call("kb_get", {"id": NEWSLETTER})
        await session.begin_turn("delete the record doc:old")
        assert error_of(await model.call("delete_record", {"id": "doc:old"})) == "ok"
        assert _written(shop) == ["delete_record"]


@pytest.mark.threat("H07")
async def test_a_namespace_that_the_user_does_not_hold_stays_closed(shop: Workshop, kb: KnowledgeBase) -> None:
    async with running(shop.build(), capabilities={"kb": kb}) as app:
        session = await app.open(mode="text", user=User("bob", namespaces=("public",)))
        await session.begin_turn("what is in eva's notes?")
        model = Obedient(session)
        answer = await model.call("kb_search", {"query": "talk with Ada", "namespace": "personal"})
        assert error_of(answer) == "AUTH"
        assert error_of(await model.call("kb_get", {"id": "doc:one-on-one-ada"})) == "NOT_FOUND"
        answer = await model.call("kb_get", {"ids": ["doc:one-on-one-ad", "doc:accessibility-statement"]})
        assert [record["id"] for record in answer.data["records"]] == ["doc:accessibility-statement"]
        assert "doc:one-on-one-ada" not in answer.data["missing"][0]["near"]


def _written(shop: Workshop) -> list[str]:
    """A name for each write that happened."""
    return [name for name in ("send_message", "delete_record") for _ in shop.runs(name)]
