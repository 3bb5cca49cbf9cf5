"""A knowledge base that finds what a scenario says. Namespaces, timeouts and threads are those of the real one."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, cast

from ambidex.capabilities.kb.capability import KnowledgeBase
from ambidex.capabilities.kb.engine import Engine, KbError
from ambidex.capabilities.kb.filters import Filters
from ambidex.capabilities.kb.found import Found, Hit
from ambidex.capabilities.kb.record import Record, parse_record

_UPDATED = "2026-01-01T00:00:00Z"
"""Of records that do not say when."""


def scripted_kb(answers: Mapping[str, Any]) -> KnowledgeBase:
    # Reading is all that a handler can do with a base, so the script plays no more of an engine than that.
    return KnowledgeBase(lambda: cast(Engine, ScriptedEngine(answers)))


class ScriptedEngine:
    """`search` gives the hits that were written down, `get` those records that were asked for, `near` the ids."""

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self._answers = answers

    def search(self, query: str, filters: Filters, *, top_k: int = 5) -> Found:
        said = self._answer("search", {})
        hits = tuple(_hit(hit) for hit in said.get("hits", ())[:top_k])
        return Found(hits, said.get("nothing_relevant", False), said.get("query_time_ms", 0.0))

    def get(self, ids: Sequence[str], *, namespaces: Sequence[str]) -> list[Record]:
        records = {record.id: record for record in map(_record, self._answer("get", []))}
        return [records[id] for id in ids if id in records and records[id].namespace in namespaces]

    def near(self, id: str, *, namespaces: Sequence[str], most: int = 3) -> list[str]:
        return list(self._answer("near", []))[:most]

    def close(self) -> None: ...

    def _answer(self, method: str, otherwise: Any) -> Any:
        answer = self._answers.get(method, {"returns": otherwise})
        if failure := answer.get("fails"):
            # As an engine fails: late, or unable. What becomes of it is the knowledge base's to say.
            raise TimeoutError if failure["type"] == "TRANSIENT" else KbError(failure["message"])
        return copy.deepcopy(answer["returns"])


def _hit(written: Mapping[str, Any]) -> Hit:
    return Hit(_record(written["record"]), written["score"], written.get("snippet", ""))


def _record(written: Mapping[str, Any]) -> Record:
    return parse_record(written, default_updated=_UPDATED)
