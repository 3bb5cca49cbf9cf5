"""A server that says it is ready has loaded what the first user would otherwise wait for."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.server.scripted import Scripted
from tests.server.site import configured, served
from tests.support.apps import Workshop

from ambidex.agents.providers import open_provider
from ambidex.capabilities.kb.importing.importer import Importer
from ambidex.capabilities.kb.sqlite.engine import open_kb
from ambidex.offline.provider import OfflineProvider

RECORD = '{"id": "doc:tea", "type": "doc", "namespace": "studio", "title": "Tea", "text": "Tea is at four."}\n'


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path).reading("look")


async def test_the_offline_provider_has_learnt_its_phrases(workshop: Workshop) -> None:
    config = configured(workshop.root, **{"providers.use": "offline", "kb.embedder": "none"})
    model = open_provider(config, workshop.build(), environ={})
    assert isinstance(model, OfflineProvider)
    async with served(workshop, model):
        assert model._dialogue is not None


async def test_a_service_is_asked_nothing_before_there_is_a_user(workshop: Workshop) -> None:
    model = Scripted()
    async with served(workshop, model) as site:
        assert (await site.client.get("/readyz")).status_code == 200
        assert site.state.agent._briefs
    assert model.asks == []


async def test_the_knowledge_base_is_open_and_its_indexes_are_loaded(workshop: Workshop) -> None:
    path = workshop.root / "kb.sqlite3"
    (workshop.root / "records.jsonl").write_text(RECORD)
    engine = open_kb(path, embedder=None)
    with engine.writer() as writer:
        Importer(writer, workshop.root).run([str(workshop.root / "records.jsonl")])
    engine.close()
    async with served(workshop, Scripted(), **{"kb.embedder": "none"}) as site:
        assert site.state.app.knowledge_base._engine is not None
