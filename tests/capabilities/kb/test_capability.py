from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from tests.capabilities.kb.sqlite.bases import base, record

from ambidex.capabilities.kb.capability import KnowledgeBase, knowledge_base
from ambidex.capabilities.kb.found import Found
from ambidex.config import Config
from ambidex.contracts.faults import ErrorType
from ambidex.errors import CapabilityError, ToolError

ADA = record("person:ada-okafor", "Ada founded the studio.")
DENTIST = record("person:dr-moe", "The dentist.", namespace="personal")


@dataclass(frozen=True)
class Reader:
    namespaces: tuple[str, ...]


@pytest.fixture
def kb(tmp_path: Path) -> KnowledgeBase:
    engine = base(tmp_path, ADA, DENTIST)
    return KnowledgeBase(lambda: engine)


def configured(tmp_path: Path, **more: Any) -> KnowledgeBase:
    table = {"path": str(tmp_path / "kb.sqlite3"), "embedder": "none", "sample": "", **more}
    return knowledge_base(Config.load(environ={}, overrides={"kb": table}))


async def test_a_user_finds_records_of_the_namespaces_they_hold(kb: KnowledgeBase) -> None:
    found = await kb.for_user(Reader(("studio",))).search("who founded the studio", namespace="studio")
    assert [hit.record for hit in found.hits] == [ADA]


async def test_a_namespace_the_user_does_not_hold_is_refused(kb: KnowledgeBase) -> None:
    with pytest.raises(ToolError) as caught:
        await kb.for_user(Reader(("studio",))).search("dentist", namespace="personal")
    assert caught.value.response.error is not None
    assert caught.value.response.error.type is ErrorType.AUTH


async def test_a_record_of_a_namespace_the_user_does_not_hold_is_missing_and_not_hinted_at(kb: KnowledgeBase) -> None:
    records, missing = await kb.for_user(Reader(("studio",))).get([DENTIST.id, ADA.id])
    assert records == [ADA]
    assert missing == {DENTIST.id: []}


async def test_a_missing_id_comes_with_ids_that_look_like_it(kb: KnowledgeBase) -> None:
    records, missing = await kb.for_user(Reader(("studio",))).get(["person:ada-okafer"])
    assert (records, missing) == ([], {"person:ada-okafer": [ADA.id]})


async def test_where_there_is_no_base_there_is_nothing_and_none_is_made(tmp_path: Path) -> None:
    kb = configured(tmp_path)
    user = kb.for_user(Reader(("studio",)))
    assert (await user.search("founder", namespace="studio")).hits == ()
    assert await user.get(["person:x"]) == ([], {"person:x": []})
    assert os.listdir(tmp_path) == []
    kb.close()


async def test_a_base_that_comes_later_is_found(tmp_path: Path) -> None:
    kb = configured(tmp_path)
    user = kb.for_user(Reader(("studio",)))
    assert (await user.search("founded", namespace="studio")).hits == ()
    base(tmp_path, ADA).close()
    assert [hit.record for hit in (await user.search("founded", namespace="studio")).hits] == [ADA]
    kb.close()


async def test_an_empty_base_is_filled_with_the_sample(tmp_path: Path) -> None:
    sample = tmp_path / "sample"
    sample.mkdir()
    (sample / "bo.md").write_text("---\nid: person:bo\ntitle: Bo\n---\nBo bakes bread.\n")
    kb = configured(tmp_path, sample=str(sample))
    found = await kb.for_user(Reader(("studio",))).search("bread", namespace="studio")
    assert [hit.record.id for hit in found.hits] == ["person:bo"]
    kb.close()


async def test_a_time_that_is_none_is_told_as_a_wrong_argument(kb: KnowledgeBase) -> None:
    with pytest.raises(ToolError) as caught:
        await kb.for_user(Reader(("studio",))).search("x", namespace="studio", start="soon")
    assert caught.value.response.error is not None
    assert caught.value.response.error.type is ErrorType.VALIDATION


async def test_a_file_that_is_no_base_makes_the_capability_unavailable(tmp_path: Path) -> None:
    (tmp_path / "kb.sqlite3").write_text("not a database " * 100)
    kb = configured(tmp_path)
    with pytest.raises(CapabilityError, match="file is not a database"):
        await kb.for_user(Reader(("studio",))).search("x", namespace="studio")
    kb.close()


class Stuck:
    """An engine that answers when it is let go."""

    def __init__(self) -> None:
        self.free = Event()

    def search(self, query: str, filters: Any, *, top_k: int = 5) -> Found:
        self.free.wait(20)
        return Found((), False, 0.0)

    def get(self, ids: Sequence[str], *, namespaces: Sequence[str]) -> list[Any]:
        return []

    def near(self, id: str, *, namespaces: Sequence[str], most: int = 3) -> list[str]:
        return []

    def stats(self) -> Any: ...

    def writer(self, *, wait_seconds: float = 0.0) -> Any: ...

    def close(self) -> None: ...


async def test_an_engine_that_does_not_answer_in_time_is_transient_and_worth_another_try() -> None:
    stuck = Stuck()
    kb = KnowledgeBase(lambda: stuck, timeout_seconds=0.01)
    with pytest.raises(ToolError) as caught:
        await kb.for_user(Reader(("studio",))).search("x", namespace="studio")
    stuck.free.set()
    fault = caught.value.response.error
    assert fault is not None
    assert (fault.type, fault.retryable) == (ErrorType.TRANSIENT, True)
    kb.close()


class Told(Stuck):
    """An engine that notes when it is closed."""

    def __init__(self, notes: list[str]) -> None:
        super().__init__()
        self.free.set()
        self._notes = notes

    def close(self) -> None:
        self._notes.append("the engine is closed")


async def test_work_in_the_background_is_stopped_before_the_engine_is_closed() -> None:
    notes: list[str] = []
    kb = KnowledgeBase(lambda: Told(notes), on_close=lambda: notes.append("the background is stopped"))
    await kb.for_user(Reader(("studio",))).search("x", namespace="studio")
    kb.close()
    assert notes == ["the background is stopped", "the engine is closed"]
