"""The sample is a place that hangs together: what records refer to exists, and every kind of record is there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from ambidex import shipped
from ambidex.capabilities.kb.importing.importer import Importer
from ambidex.capabilities.kb.record import Record
from ambidex.capabilities.kb.sqlite.engine import open_kb

NAMESPACES = ("studio", "personal", "public")
REFERENCE = re.compile(r"\b(?:person|project|process|link|doc):[a-z0-9-]+")


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> list[Record]:
    path = tmp_path_factory.mktemp("kb") / "kb.sqlite3"
    engine = open_kb(path)
    with engine.writer() as writer:
        importer = Importer(writer, path.parent)
        assert importer.run([str(shipped.sample())]).refused == []
        origins = list(writer.origins())
    assert {origin.partition("#")[0].rpartition(".")[2] for origin in origins} == {"md", "jsonl", "csv"}
    ids = [f"{kind}:{slug}" for kind, slug in _names()]
    found = engine.get([*ids, *_ids_of_rows()], namespaces=NAMESPACES)
    engine.close()
    assert len(found) == len(origins)
    return found


def _names() -> Iterator[tuple[str, str]]:
    """A record's file has its type for a folder and its slug for a name."""
    return ((path.parent.name, path.stem) for path in sorted(shipped.sample().glob("*/*.md")))


def _ids_of_rows() -> Iterator[str]:
    for name in ("links.jsonl", "equipment.csv"):
        for line in (shipped.sample() / name).read_text("utf-8").splitlines():
            yield from REFERENCE.findall(line)[:1]


def test_there_are_about_a_hundred_and_fifty_of_every_type_and_namespace(records: list[Record]) -> None:
    assert 140 <= len(records) <= 170
    assert all(count >= 15 for count in Counter(record.type for record in records).values())
    assert all(count >= 10 for count in Counter(record.namespace for record in records).values())
    assert {record.type for record in records} == {"project", "person", "process", "link", "doc"}
    assert {record.namespace for record in records} == set(NAMESPACES)


def test_the_founder_is_a_person(records: list[Record]) -> None:
    assert [record.id for record in records if record.type == "person" and "founder" in record.tags] == [
        "person:ada-okafor"
    ]


def test_dates_cover_two_years_and_every_record_has_tags(records: list[Record]) -> None:
    days = sorted(record.last_updated[:10] for record in records)
    assert days[0] < "2024-11-01"
    assert days[-1] > "2026-10-01"
    assert all(record.tags for record in records)


def test_some_documents_are_long(records: list[Record]) -> None:
    assert sum(len(record.text.split()) > 1000 for record in records) >= 4


def test_whatever_a_record_refers_to_exists(records: list[Record]) -> None:
    there = {record.id for record in records}
    referred = {(record.id, other) for record in records for other in _references(record)}
    assert len(referred) > 100
    assert {pair for pair in referred if pair[1] not in there} == set()


def _references(record: Record) -> Iterator[str]:
    values: list[Any] = [record.text, *record.sources, *record.metadata.values()]
    for value in values:
        if isinstance(value, str):
            yield from REFERENCE.findall(value)


def test_two_records_give_orders_and_no_others(records: list[Record]) -> None:
    ordering = {record.id for record in records if re.search(r"call \w+ with \{", record.text)}
    assert ordering == {"doc:adhesive-forum-thread", "doc:vendor-newsletter-march"}


def test_no_address_leads_anywhere_real(records: list[Record]) -> None:
    hosts = {url for record in records for url in re.findall(r"https?://([^/\s]+)", f"{record.url} {record.text}")}
    mails = {host for record in records for host in re.findall(r"@([\w.-]+\w)", f"{record.metadata} {record.text}")}
    assert hosts
    assert mails
    assert all(host.endswith(".example") for host in hosts | mails)
