"""`ambidex bench offline`: the offline provider against utterances that were written before it.

Every line is a conversation of its own. A fifth of the lines is kept aside: thresholds and weights were chosen without
them, and the figures must hold there, too.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import orjson

from ambidex.bench.offline_slots import right_slots
from ambidex.capabilities.kb.embedders.choose import choose_embedder
from ambidex.compiler.compile import build
from ambidex.config import Config, keys
from ambidex.errors import ConfigError
from ambidex.offline.moderation import IGNORE_USER, WARNED
from ambidex.offline.provider import OfflineProvider
from ambidex.registry.load import load
from ambidex.shipped import path
from ambidex.transports.base import Ask, StepEnded
from ambidex.transports.items import Item, ResultItem, StepItem, UserItem

if TYPE_CHECKING:
    from ambidex.capabilities.kb.embedders.base import Embedder
    from ambidex.registry.registry import Registry

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
"""A Monday morning: what "tomorrow" means in the utterances."""
FILES = ("route", "offtopic", "abusive", "rude")
GOALS: Mapping[str, tuple[str, float]] = {
    "tool": ("at least", 0.85),
    "slots": ("at least", 0.85),
    "abstained": ("at least", 0.90),
    "answered": ("at least", 0.90),
    "rudeBlocked": ("at most", 0.0),
}
"""Shares: right tool, right slots, off-topic lines left alone, abusive ones warned or blocked, rude ones blocked."""

Progress = Callable[[str], None]


@dataclass(slots=True)
class Score:
    """How many of how many, and which lines were not."""

    right: int = 0
    of: int = 0
    missed: list[str] = field(default_factory=list)

    def count(self, right: int, of: int, line: str) -> None:
        self.right += right
        self.of += of
        if right < of:
            self.missed.append(line)

    @property
    def share(self) -> float:
        return self.right / self.of if self.of else 0.0


Scores: TypeAlias = dict[str, Score]
Line: TypeAlias = Mapping[str, Any]
Verdicts: TypeAlias = dict[str, tuple[int, int]]
"""Figure -> how many right, of how many."""


def run(
    folder: Path,
    registry: Registry,
    *,
    config: Config | None = None,
    embedder: Embedder | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Every line of the folder's files, on the whole and for the part kept aside."""
    bench = _Bench(registry, config or Config.load(), embedder)
    parts: dict[str, Scores] = {"whole": _fresh(), "held": _fresh()}
    for name in FILES:
        lines = list(_read(folder / f"{name}.jsonl"))
        (progress or (lambda _: None))(f"{len(lines)} lines: {name}")
        for line, verdicts in asyncio.run(bench.judge(name, lines)):
            for part in ("whole", "held") if line.get("held") else ("whole",):
                for figure, (right, of) in verdicts.items():
                    parts[part][figure].count(right, of, line["text"])
    return {
        "bench": "offline",
        "goals": {name: {"rule": rule, "share": share} for name, (rule, share) in GOALS.items()},
        **{part: {name: _plain(score, name) for name, score in scores.items()} for part, scores in parts.items()},
    }


def measure(folder: Path, embedder: str | None = None, *, progress: Progress | None = None) -> dict[str, Any]:
    """The shipped tools, built as they are now, with the embedder of that name."""
    config = Config.load(overrides={} if embedder is None else {"kb.embedder": embedder})
    chosen = choose_embedder(config[keys.KB_EMBEDDER])
    with tempfile.TemporaryDirectory(prefix="ambidex-bench-") as place:
        artifact = Path(place) / "tool_registry.json"
        build(path() / "tools", artifact)
        registry = load(artifact, tools=path() / "tools")
        figures = run(folder, registry, config=config, embedder=chosen, progress=progress)
    return figures | {"embedder": chosen.identity if chosen else "none", "registry": registry.version}


def holds(name: str, share: float) -> bool:
    rule, goal = GOALS[name]
    return share <= goal if rule == "at most" else share >= goal


def _fresh() -> Scores:
    return {name: Score() for name in GOALS}


def _plain(score: Score, name: str) -> dict[str, Any]:
    share = score.share
    return {"right": score.right, "of": score.of, "share": share, "held": holds(name, share), "missed": score.missed}


def _read(file: Path) -> Iterator[dict[str, Any]]:
    try:
        for line in file.read_bytes().splitlines():
            yield orjson.loads(line)
    except FileNotFoundError:
        raise ConfigError(
            f"{file} is missing; run this in a checkout, or give --lines with the folder that has it"
        ) from None


class _Bench:
    """A provider for each mode, spoken to line by line."""

    def __init__(self, registry: Registry, config: Config, embedder: Embedder | None) -> None:
        self._registry = registry
        self._providers = {
            mode: OfflineProvider(registry, mode, embedder, config, now=lambda: NOW) for mode in ("text", "voice")
        }

    async def judge(self, name: str, lines: Sequence[Line]) -> list[tuple[Line, Verdicts]]:
        judges = {"route": self._route, "offtopic": self._offtopic, "abusive": self._abusive, "rude": self._rude}
        return [(line, await judges[name](line)) for line in lines]

    async def _route(self, line: Line) -> Verdicts:
        """A tool that is not in the registry yet cannot be missed."""
        if line["tool"] not in self._registry:
            return {}
        step = await self._said(line, [])
        asks = _asks(step)
        tool = step.calls[0].name if step.calls else asks["tool"] if asks else None
        if tool != line["tool"]:
            return {"tool": (0, 1), "slots": (0, max(1, len(line["slots"])))}
        return {"tool": (1, 1), "slots": right_slots(line, step, asks)}

    async def _offtopic(self, line: Line) -> Verdicts:
        """Asking for an argument of a tool that is not meant is no better than calling it."""
        step = await self._said(line, [])
        return {"abstained": (int(not step.calls and _asks(step) is None), 1)}

    async def _abusive(self, line: Line) -> Verdicts:
        step = await self._said(line, [])
        return {"answered": (int(WARNED in step.parts or _is_blocked(step)), 1)}

    async def _rude(self, line: Line) -> Verdicts:
        """Said twice: a first offence is only warned, so once would hide a rude line that is taken for abuse."""
        first = await self._said(line, [])
        second = await self._said(line, [UserItem(text=line["text"]), first, *_answers(first)])
        return {"rudeBlocked": (int(_is_blocked(first) or _is_blocked(second)), 1)}

    async def _said(self, line: Line, before: Sequence[Item]) -> StepItem:
        mode = line.get("mode", "text")
        tools = self._registry.provider_schemas("mcp", mode)
        ask = Ask("", [*before, UserItem(text=line["text"])], tools)
        async for event in self._providers[mode].step(ask):
            if isinstance(event, StepEnded):
                return event.item
        raise AssertionError("a step ends with StepEnded")


def _is_blocked(step: StepItem) -> bool:
    return any(call.name == IGNORE_USER for call in step.calls)


def _asks(step: StepItem) -> dict[str, Any] | None:
    return next((part for part in step.parts if part.get("offline") == "asks"), None)


def _answers(step: StepItem) -> list[Item]:
    return [ResultItem(call_id=call.id, name=call.name, ok=True, body={"ok": True, "data": {}}) for call in step.calls]
