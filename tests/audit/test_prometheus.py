"""The text that a scraper reads, read back by a strict parser of the format."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.apps import Workshop, one, talking

from ambidex import Registry
from ambidex.audit.events import Event, EventKind
from ambidex.audit.metrics import count
from ambidex.audit.prometheus import exposition, together
from ambidex.contracts.faults import ErrorType
from ambidex.registry.counts import BUCKETS_MS, Counts

_SAMPLE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)\{(.*)\} (\S+)")
_LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)')
_SUFFIXES = {"histogram": {"_bucket", "_sum", "_count"}, "counter": {""}, "gauge": {""}}


@dataclass
class Family:
    kind: str
    help: str
    samples: dict[tuple[str, tuple[tuple[str, str], ...]], float] = field(default_factory=dict)


def parse(page: str) -> dict[str, Family]:
    """Fails on anything that text format 0.0.4 does not allow, and on a series that is there twice."""
    assert page.endswith("\n")
    families: dict[str, Family] = {}
    name = ""
    helped = ""
    for line in page.removesuffix("\n").split("\n"):
        if line.startswith("# HELP "):
            _, _, name, helped = line.split(" ", 3)
            assert name not in families
        elif line.startswith("# TYPE "):
            assert line.split()[2] == name
            families[name] = Family(line.split()[3], helped)
        else:
            _take(line, name, families[name])
    return families


def _take(line: str, name: str, family: Family) -> None:
    found = _SAMPLE.fullmatch(line)
    assert found, line
    suffix = found[1].removeprefix(name)
    assert found[1].startswith(name)
    assert suffix in _SUFFIXES[family.kind]
    series = suffix, tuple(_labels(found[2]))
    assert series not in family.samples, "a series is there once"
    family.samples[series] = float(found[3])


def _labels(text: str) -> Iterator[tuple[str, str]]:
    while text:
        found = _LABEL.match(text)
        assert found, text
        yield found[1], re.sub(r"\\(.)", lambda escaped: {"n": "\n"}.get(escaped[1], escaped[1]), found[2])
        text = text[found.end() :]


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    return Workshop(tmp_path).reading("look").gated("send").build()


def value(page: str, name: str, suffix: str = "", **labels: str) -> float | None:
    return parse(page)[name].samples.get((suffix, tuple(labels.items())))


def test_every_family_has_help_and_a_type(registry: Registry) -> None:
    families = parse(exposition(registry.metrics()))
    assert all(name.startswith("ambidex_") and family.help for name, family in families.items())
    assert all(name.endswith("_total") == (family.kind == "counter") for name, family in families.items())


def test_every_tool_has_its_calls_from_the_start(registry: Registry) -> None:
    page = exposition(registry.metrics())
    calls = parse(page)["ambidex_calls_total"].samples
    assert {dict(labels)["tool"] for _, labels in calls} == {"look", "send", "unknown"}
    assert set(calls.values()) == {0}
    assert parse(page)["ambidex_call_duration_seconds"].samples == {}


async def test_real_calls_are_on_the_page(registry: Registry) -> None:
    async with talking(registry) as (_app, session, _):
        await one(session, "look")
        await one(session, "look", {})
        await one(session, "send")
    page = exposition(registry.metrics())
    assert value(page, "ambidex_calls_total", tool="look", outcome="ok") == 1
    assert value(page, "ambidex_calls_total", tool="look", outcome="refused") == 1
    assert value(page, "ambidex_calls_total", tool="send", outcome="waiting") == 1
    assert value(page, "ambidex_errors_total", tool="look", type="VALIDATION") == 1
    assert value(page, "ambidex_refusals_total", tool="look", rule="arguments_are_valid") == 1
    assert value(page, "ambidex_confirmations_total", tool="send", decision="requested") == 1
    assert value(page, "ambidex_empty_answers_total", tool="look") == 1
    assert value(page, "ambidex_empty_answers_total", tool="send") is None
    assert value(page, "ambidex_sessions_open", mode="text") == 1
    assert value(page, "ambidex_turns_total", mode="text") == 1
    assert value(page, "ambidex_registry_info", version=registry.version) == 1


def test_a_histogram_is_cumulative_and_in_seconds(registry: Registry) -> None:
    for took in (0.5, 150.0, 40_000.0):
        count(registry._counts, Event(event=EventKind.CALL_FINISHED, tool="look", ok=True, duration=took))
    samples = parse(exposition(registry.metrics()))["ambidex_call_duration_seconds"].samples
    buckets = {dict(labels)["le"]: number for (suffix, labels), number in samples.items() if suffix == "_bucket"}
    assert [float(bound) for bound in buckets] == [*(ms / 1000 for ms in BUCKETS_MS), float("inf")]
    assert (buckets["0.001"], buckets["0.1"], buckets["0.2"], buckets["30.0"], buckets["+Inf"]) == (1, 1, 2, 2, 3)
    assert samples["_count", (("tool", "look"),)] == 3
    assert samples["_sum", (("tool", "look"),)] == pytest.approx(40.1505)


def test_a_tool_whose_approval_is_all_that_was_seen_is_on_the_page(registry: Registry) -> None:
    count(registry._counts, Event(event=EventKind.CONFIRMATION_APPROVED, tool="send"))
    page = exposition(registry.metrics())
    assert value(page, "ambidex_confirmations_total", tool="send", decision="approved") == 1


@given(st.text())
def test_any_label_survives(version: str) -> None:
    page = exposition({"registryVersion": version, **Counts({}).plain()})
    assert value(page, "ambidex_registry_info", version=version) == 1


def test_registries_of_one_process_add_up() -> None:
    one, other = Counts({}), Counts({})
    for counts, times in ((one, 1), (other, 2)):
        for _again in range(times):
            count(counts, Event(event=EventKind.CALL_FINISHED, ok=True, duration=3.0))
    failed = Event(event=EventKind.CALL_FINISHED, ok=False, duration=9.0, error_type=ErrorType.INTERNAL)
    count(other, failed)
    both = together(*({"registryVersion": name, **counts.plain()} for name, counts in (("a", one), ("b", other))))
    unknown = both["tools"]["unknown"]
    assert (both["registryVersion"], unknown["calls"], unknown["errors"]) == ("a", 4, {"INTERNAL": 1})
    assert (unknown["latency"]["buckets"]["5"], unknown["latency"]["buckets"]["+Inf"]) == (3, 4)
    assert one.plain()["tools"]["unknown"]["calls"] == 1, "what was added up is left as it was"
