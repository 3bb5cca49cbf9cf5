"""kb_search: what the handler itself decides, and the tool on the shipped sample."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.apps import error_of, one, running
from tests.tools.calling import TOOLS, module_of

import ambidex
from ambidex import User, shipped
from ambidex.capabilities.kb.capability import KnowledgeBase
from ambidex.capabilities.kb.importing.importer import Importer
from ambidex.capabilities.kb.record import Record
from ambidex.capabilities.kb.sqlite.engine import open_kb
from ambidex.session.session import Session

dates_module = module_of("kb-search", "dates")
shown = module_of("kb-search", "showing").shown
EVA = User("eva", namespaces=("studio", "personal", "public"))
MOMENTS = st.datetimes(datetime(1000, 1, 1), datetime(9000, 1, 1), timezones=st.just(UTC))


@given(start=MOMENTS, end=MOMENTS, hours=st.integers(-14, 14))
@settings(max_examples=100)
def test_a_range_is_taken_when_it_is_in_order_whatever_its_offsets(start: datetime, end: datetime, hours: int) -> None:
    shifted = (end + timedelta(hours=hours)).replace(tzinfo=None).isoformat() + f"{hours:+03d}:00"
    asked = {"start": start.isoformat(), "end": shifted}
    if end < start:
        with pytest.raises(dates_module.BadDates):
            dates_module.dates(asked)
    else:
        assert [datetime.fromisoformat(found) for found in dates_module.dates(asked)] == [start, end]


@pytest.mark.parametrize("value", ["2016-12-31T23:59:60Z", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-01:00"])
def test_a_date_time_that_no_record_can_have_is_told(value: str) -> None:
    with pytest.raises(dates_module.BadDates, match="start"):
        dates_module.dates({"start": value})


def test_small_letters_in_a_date_time_are_taken() -> None:
    assert dates_module.dates({"end": "2026-03-01t09:00:00z"}) == (None, "2026-03-01T09:00:00+00:00")


@pytest.mark.threat("H05")
@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://port.example/lights", {"url": "https://port.example/lights", "url_verified": True}),
        ("https://other.test/x", {"url": "https://other.test/x", "url_verified": False}),
        ("https://port.example:8443/x", {"url": "https://port.example:8443/x", "url_verified": False}),
        ("http://port.example/x", {"url": None}),
        ("https://port.example@evil.test/", {"url": None}),
        ("https://127.0.0.1/x", {"url": None}),
        ("https://xn--prt-hna.example/", {"url": None}),
        ("javascript:alert(1)", {"url": None}),
        ("data:text/html,x", {"url": None}),
        (None, {"url": None}),
    ],
)
def test_only_links_that_cannot_deceive_are_given_and_strangers_are_marked(
    url: str | None, expected: dict[str, Any]
) -> None:
    record = Record(
        id="link:x", type="link", namespace="studio", title="X", url=url, last_updated="2026-01-01T00:00:00Z"
    )
    item = shown(record, ("url",), "", ("port.example",))
    assert {name: item[name] for name in item if name.startswith("url")} == expected


@pytest.mark.parametrize(
    ("values", "hosts"), [({}, []), ({"link_hosts": ["a.example", 1, None]}, ["a.example"]), ({"link_hosts": []}, [])]
)
def test_hosts_are_vouched_for_in_the_projects_own_values(values: dict[str, Any], hosts: list[str]) -> None:
    assert module_of("kb-search", "showing").vouched_hosts({"values": values}) == hosts


def test_ten_of_the_longest_texts_fit_into_one_answer() -> None:
    """A record holds up to a mebibyte; an answer of more than four is no answer at all."""
    record = Record(
        id="doc:x",
        type="doc",
        namespace="studio",
        title="X",
        text="\n" * (1 << 20),
        last_updated="2026-01-01T00:00:00Z",
    )
    items = [shown(record, ("full_text",), "", ()) for _ in range(10)]
    assert items[0]["full_text"].endswith("\n…")
    assert len(json.dumps(items)) < 4 << 20


# On the sample


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    """By words alone: these tests are about the tool, not about ranking."""
    path = tmp_path_factory.mktemp("kb") / "kb.sqlite3"
    engine = open_kb(path)
    with engine.writer() as writer:
        assert Importer(writer, path.parent).run([str(shipped.sample())]).refused == []
    base = KnowledgeBase(lambda: engine)
    yield base
    base.close()


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("build") / "tool_registry.json"
    ambidex.build(TOOLS, path)
    return path


@asynccontextmanager
async def asking(artifact: Path, kb: KnowledgeBase, mode: str = "text", user: User = EVA) -> AsyncIterator[Session]:
    async with running(ambidex.load(artifact), capabilities={"kb": kb}) as app:
        session = await app.open(mode=mode, user=user)
        await session.begin_turn("please")
        yield session


async def test_the_founder_is_found_and_can_be_fetched_by_the_id_that_came_back(
    artifact: Path, kb: KnowledgeBase
) -> None:
    async with asking(artifact, kb) as session:
        found = await one(session, "kb_search", {"query": "who started Brackwater", "filters": {"type": "person"}})
        [first, *others] = found.data["results"]
        assert first["id"] == "person:ada-okafor"
        assert [item["score"] for item in found.data["results"]] == sorted(
            (item["score"] for item in found.data["results"]), reverse=True
        )
        assert len({item["id"] for item in [first, *others]}) == len([first, *others])
        got = await one(session, "kb_get", {"id": first["id"]})
        assert "naval architect" in got.data["records"][0]["full_text"]


async def test_filters_narrow_the_search(artifact: Path, kb: KnowledgeBase) -> None:
    filters = {"type": "doc", "tags": ["decision"], "date_range": {"end": "2025-12-31T23:59:59Z"}}
    async with asking(artifact, kb) as session:
        found = await one(session, "kb_search", {"query": "decision", "filters": filters, "top_k": 10})
        ids = {item["id"] for item in found.data["results"]}
        assert ids == {"doc:decision-stop-batteries", "doc:decision-no-cameras"}


@pytest.mark.threat("H07")
@pytest.mark.parametrize("namespace", ["studio", "personal", "public"])
async def test_a_search_stays_in_its_namespace_and_the_namespace_is_the_users(
    artifact: Path, kb: KnowledgeBase, namespace: str
) -> None:
    asked = {"query": "Ada Lindhavn insurance hinge", "namespace": namespace, "top_k": 10, "return_fields": []}
    async with asking(artifact, kb) as session:
        found = await one(session, "kb_search", asked)
        ids = [item["id"] for item in found.data["results"]]
        records, missing = await kb.for_user(User("x", namespaces=(namespace,))).get(ids)
        assert ids
        assert [record.id for record in records] == ids
        assert missing == {}
    others = tuple(held for held in EVA.namespaces if held != namespace)
    async with asking(artifact, kb, user=User("bob", namespaces=others)) as session:
        assert error_of(await one(session, "kb_search", asked)) == "AUTH"


async def test_long_documents_come_whole_in_text_and_not_at_all_in_voice(artifact: Path, kb: KnowledgeBase) -> None:
    asked = {"ids": ["doc:studio-handbook", "doc:harbour-lights-final-report"]}
    async with asking(artifact, kb) as session:
        got = await one(session, "kb_get", asked)
        assert [len(record["full_text"].split()) > 1000 for record in got.data["records"]] == [True, True]
    async with asking(artifact, kb, mode="voice") as session:
        got = await one(session, "kb_get", asked)
        assert not any("full_text" in record for record in got.data["records"])
        assert all(len(record["snippet"]) <= 320 for record in got.data["records"])
