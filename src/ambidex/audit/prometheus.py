"""Metrics as Prometheus reads them: the text format 0.0.4, written from what `Registry.metrics` gives.

Every tool has its `ambidex_calls_total`, at zero if need be, so that a rate over it is right from the first call on;
the rest of a tool's series appears with its first call. So there are at most as many series as tools, error types and
rules allow, whatever names a model makes up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Metrics: TypeAlias = Mapping[str, Any]
Sample: TypeAlias = tuple[str, Mapping[str, str], float]
"""Suffix of the name, labels, value."""


def exposition(metrics: Metrics) -> str:
    """The page that a scraper gets."""
    return "".join(line for family in _families(metrics) for line in family)


def together(first: Metrics, *others: Metrics) -> dict[str, Any]:
    """The sum of several metrics, for a process whose older sessions are still pinned to an older registry.

    What is no number, the version, is the first one's.
    """
    total = dict(first)
    for name, value in ((name, value) for other in others for name, value in other.items()):
        if name not in total:
            total[name] = value
        elif isinstance(value, Mapping):
            total[name] = together(total[name], value)
        elif not isinstance(value, str):
            total[name] += value
    return total


def _families(metrics: Metrics) -> Iterator[Iterator[str]]:
    tools: Mapping[str, Any] = metrics["tools"]
    called = {tool: counts for tool, counts in tools.items() if _is_seen(counts)}
    version = {"version": metrics["registryVersion"]}
    yield _family("ambidex_registry_info", "gauge", "The registry of this process.", [("", version, 1)])
    yield _family("ambidex_calls_total", "counter", "Calls by tool and how they were decided.", _calls(tools))
    for name, member, label, help_text in _BY_LABEL:
        yield _family(name, "counter", help_text, _labelled(called, member, label))
    for name, member, help_text in _PLAIN:
        yield _family(name, "counter", help_text, _single(called, member))
    yield _family("ambidex_call_duration_seconds", "histogram", "Time that executed calls took.", _durations(called))
    for name, kind, member, help_text in _SESSIONS:
        samples = [("", {"mode": mode}, counts[member]) for mode, counts in metrics["sessions"].items()]
        yield _family(name, kind, help_text, samples)


_BY_LABEL = (
    ("ambidex_errors_total", "errors", "type", "Answers that were not ok, by error type."),
    ("ambidex_refusals_total", "refusals", "rule", "Calls that a gate refused, by its rule."),
    ("ambidex_over_budget_total", "overBudget", "budget", "Calls that passed a soft latency budget."),
    ("ambidex_confirmations_total", "confirmations", "decision", "Requests for a person's approval, and their ends."),
)
_PLAIN = (
    ("ambidex_loops_total", "loops", "Calls refused because a model went round in circles."),
    ("ambidex_results_total", "results", "Records that retrieval tools returned."),
    ("ambidex_empty_answers_total", "empty", "Answers of retrieval tools without any record."),
)
_SESSIONS = (
    ("ambidex_sessions_open", "gauge", "open", "Sessions opened less sessions ended here; sum it over all workers."),
    ("ambidex_sessions_opened_total", "counter", "opened", "Sessions opened."),
    ("ambidex_sessions_resumed_total", "counter", "resumed", "Reconnects that resumed a session."),
    ("ambidex_sessions_ended_total", "counter", "ended", "Sessions ended."),
    ("ambidex_turns_total", "counter", "turns", "Turns begun."),
)
_OUTCOMES = (("ok", "ok"), ("failed", "failed"), ("refused", "refused"), ("duplicate", "duplicates"))


def _is_seen(counts: Metrics) -> bool:
    """Whether anything was counted; an approval may be the first thing that a new process sees of a tool."""
    return bool(counts["calls"] or any(counts["confirmations"].values()))


def _calls(tools: Mapping[str, Metrics]) -> Iterator[Sample]:
    for tool, counts in tools.items():
        for outcome, member in _OUTCOMES:
            yield "", {"tool": tool, "outcome": outcome}, counts[member]
        yield "", {"tool": tool, "outcome": "waiting"}, counts["confirmations"]["requested"]


def _labelled(tools: Mapping[str, Metrics], member: str, label: str) -> Iterator[Sample]:
    for tool, counts in tools.items():
        for value, number in sorted(counts[member].items()):
            yield "", {"tool": tool, label: value}, number


def _single(tools: Mapping[str, Metrics], member: str) -> Iterator[Sample]:
    """Of the tools that have it: only retrieval tools count results."""
    return (("", {"tool": tool}, counts[member]) for tool, counts in tools.items() if member in counts)


def _durations(tools: Mapping[str, Metrics]) -> Iterator[Sample]:
    for tool, counts in tools.items():
        latency = counts["latency"]
        for upto, number in latency["buckets"].items():
            bound = upto if upto == "+Inf" else repr(float(upto) / 1000)
            yield "_bucket", {"tool": tool, "le": bound}, number
        yield "_sum", {"tool": tool}, latency["sumMs"] / 1000
        yield "_count", {"tool": tool}, latency["count"]


def _family(name: str, kind: str, help_text: str, samples: Iterable[Sample]) -> Iterator[str]:
    yield f"# HELP {name} {_escaped(help_text)}\n"
    yield f"# TYPE {name} {kind}\n"
    for suffix, labels, value in samples:
        named = ",".join(f'{label}="{_quoted(text)}"' for label, text in labels.items())
        yield f"{name}{suffix}{{{named}}} {value!r}\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _quoted(text: str) -> str:
    return _escaped(text).replace('"', '\\"')
