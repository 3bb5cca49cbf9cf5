"""Which tool a text asks for: the nearest by meaning, if it is near enough and nearer than everything else."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ambidex.offline.cues import bonuses
from ambidex.offline.meaning import Meaning, VectorMeaning, WordMeaning
from ambidex.offline.outside import OUTSIDE
from ambidex.offline.questions import asks_the_base
from ambidex.offline.widening import SEARCH
from ambidex.offline.words import COMMAND, instruction_and_payload, without_courtesy

if TYPE_CHECKING:
    from ambidex.capabilities.kb.embedders.base import Embedder
    from ambidex.registry.registry import Registry

NEVER_BY_WISH = frozenset({"ignore_user"})
"""Tools that a user's words alone never start: moderation decides."""

_SUMMARY_WEIGHT = 0.9
"""A summary tells what a tool is for in more words than a user would; its nearness counts a little less."""


@dataclass(frozen=True, slots=True)
class Bar:
    """Chosen on the utterances of `bench/offline/` that are not kept aside."""

    reads: float
    """Below this, no tool is meant."""
    writes: float
    """The same for a tool that writes: looking something up in vain costs little, doing it does not."""
    margin: float
    """Within this of the best one, another tool may be meant: ask."""
    outside: float
    """How much nearer than every phrase of `OUTSIDE` the best tool must be."""
    question: float
    """A question as near as this to a phrase of `OUTSIDE` is not looked up without a better reason."""


VECTOR_BAR = Bar(reads=0.24, writes=0.40, margin=0.02, outside=0.03, question=0.30)
WORD_BAR = Bar(reads=0.20, writes=0.30, margin=0.02, outside=0.0, question=0.22)


@dataclass(frozen=True, slots=True)
class Route:
    """`tool` is None when nothing is near enough; `between` names the two that are too near to each other."""

    tool: str | None
    score: float = 0.0
    between: tuple[str, ...] = ()
    outside: float = 0.0
    """How near the nearest is of what no tool is for."""


class Router:
    """Learns the phrases of a registry once; then answers from any thread."""

    def __init__(self, registry: Registry, mode: str, embedder: Embedder | None) -> None:
        self._tools = [tool for tool in registry.tool_ids(mode) if tool not in NEVER_BY_WISH]
        self._writing = {tool for tool in self._tools if registry.metadata(tool)["sideEffects"] == "writes"}
        owners: list[tuple[str | None, float]] = []
        phrases: list[str] = []
        for tool in self._tools:
            for phrase in registry.phrases(tool):
                owners.append((tool, 1.0))
                phrases.append(phrase)
        for summary in registry.summaries(mode):
            if summary.tool_id in self._tools:
                owners.append((summary.tool_id, _SUMMARY_WEIGHT))
                phrases.append(summary.summary)
        owners += [(None, 1.0)] * len(OUTSIDE)
        self._owners: Sequence[tuple[str | None, float]] = owners
        self._meaning: Meaning = _meaning([*phrases, *OUTSIDE], embedder)
        self._bar = WORD_BAR if embedder is None else VECTOR_BAR

    def route(self, text: str, declared: Collection[str] | None = None) -> Route:
        """`declared`: the tools that may be called in this step; all of the mode where it is not given."""
        scores = self.scores(text)
        outside = scores.pop(None)
        ranked = sorted(
            ((score, tool) for tool, score in scores.items() if tool and (declared is None or tool in declared)),
            reverse=True,
        )
        if not ranked:
            return Route(None)
        (best, tool), second = ranked[0], ranked[1] if len(ranked) > 1 else (0.0, "")
        least = self._bar.writes if tool in self._writing else self._bar.reads
        if best < least or best < outside + self._bar.outside:
            return Route(None, best, outside=outside)
        if best < second[0] + self._bar.margin:
            return Route(None, best, (tool, second[1]))
        return Route(tool, best)

    def looks_up(self, text: str, declared: Collection[str]) -> Route:
        """As `route`; and a question that leads to no tool, but may well be about the base, leads to its search."""
        route = self.route(text, declared)
        if route.tool is not None or route.between or SEARCH not in declared:
            return route
        worth_it = asks_the_base(text, route.outside, self._bar.question)
        return Route(SEARCH, route.score, outside=route.outside) if worth_it else route

    def scores(self, text: str) -> dict[str | None, float]:
        """How near each tool is, and, under None, the nearest of what no tool is for."""
        text = text[:COMMAND]
        bare = without_courtesy(text)
        instruction, payload = instruction_and_payload(text)
        asked = without_courtesy(instruction)
        scores: dict[str | None, float] = dict.fromkeys([*self._tools, None], 0.0)
        # What was pasted says nothing about what to do with it, so the instruction is also heard alone.
        for reading in [bare] if payload is None else [bare, asked]:
            for (owner, weight), near in zip(self._owners, self._meaning.nearness(reading), strict=True):
                scores[owner] = max(scores[owner], weight * near)
        for tool, bonus in bonuses(text, f"{asked}\n{instruction}", self._tools).items():
            scores[tool] += bonus
        return scores


def _meaning(phrases: list[str], embedder: Embedder | None) -> Meaning:
    return WordMeaning(phrases) if embedder is None else VectorMeaning(phrases, embedder)
