"""The next step of a conversation, decided from its items alone: speak, ask back, or call a tool.

What must be remembered from one step to the next (an open question, a warning) is kept in the parts of the step that
asked or warned, so that any worker can go on.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import orjson

from ambidex.offline import talk
from ambidex.offline.answers import tell, tell_late, tell_outcome
from ambidex.offline.earlier import ids_meant
from ambidex.offline.extract import MakeMeaning
from ambidex.offline.moderation import IGNORE_USER, WARNED, Block, Warn, farewell, judge
from ambidex.offline.router import NEVER_BY_WISH, Router
from ambidex.offline.slots.fill import fill, missing
from ambidex.offline.slots.heard import Heard
from ambidex.offline.slots.schema import is_free
from ambidex.offline.widening import SEARCH, elsewhere, looked, together
from ambidex.transports.items import Item, NoteItem, OutcomeItem, ResultItem, StepItem, UserItem

if TYPE_CHECKING:
    from ambidex.registry.registry import Registry

_ASKS, _CHOOSES = "asks", "chooses"
_SURE = 0.75
"""As near as this, a message is a wish of its own and no answer to what was asked."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a step says and calls, and what the next ones must know."""

    text: str = ""
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    parts: tuple[dict[str, Any], ...] = ()


class Dialogue:
    """For one registry and mode. It holds no state of a conversation."""

    def __init__(self, registry: Registry, mode: str, router: Router, meaning: MakeMeaning, region: str) -> None:
        self._registry = registry
        self._voice = mode == "voice"
        self._router = router
        self._meaning = meaning
        self._region = region

    def reply(self, items: Sequence[Item], declared: Collection[str], now: datetime) -> Reply:
        """`declared`: tools that may be called; none of them, and there is only talk."""
        start = next((n + 1 for n in reversed(range(len(items))) if isinstance(items[n], StepItem)), 0)
        fresh = items[start:]
        said = next((item.text for item in reversed(fresh) if isinstance(item, UserItem)), None)
        told = [*self._told_notes(items, fresh), *self._told_results(items, fresh, answered=said is not None)]
        if said is None and (call := self._wider(items, fresh, declared)) is not None:
            return Reply(calls=(call,))
        if said is None:
            return Reply("\n\n".join(told) or self._can_do(declared))
        heard = Heard(said.replace("\0", " "), now, self._region)  # no argument may hold that character
        turn = _Turn(self, items[: _last_user(items)], declared, heard)
        reply = turn.reply()
        return Reply("\n\n".join(filter(None, [*told, reply.text])), reply.calls, reply.parts)

    def _wider(
        self, items: Sequence[Item], fresh: Sequence[Item], declared: Collection[str]
    ) -> tuple[str, dict[str, Any]] | None:
        """A search in another part of the base, where the last one did not find it. In voice nobody waits for that."""
        if self._voice or SEARCH not in declared or not _is_search(fresh):
            return None
        args = elsewhere(_question(items), looked(items), self._registry.json_schema(SEARCH))
        return None if args is None else (SEARCH, args)

    def _told_notes(self, items: Sequence[Item], fresh: Sequence[Item]) -> list[str]:
        # A note at the very beginning tells a model that something was left out; users need not hear it.
        return [item.text for item in fresh if isinstance(item, NoteItem) and item is not items[0]]

    def _told_results(self, items: Sequence[Item], fresh: Sequence[Item], *, answered: bool) -> list[str]:
        """Outcomes are always told; results only while nothing was said since."""
        question = _question(items)
        settled = {item.call_id for item in fresh if isinstance(item, OutcomeItem)}  # that it waits is past by now
        told = []
        for item in fresh:
            if isinstance(item, OutcomeItem):
                say = tell_late if item.late else tell_outcome
                told.append(say(item.name, item.body, question, self._meaning, voice=self._voice))
            elif isinstance(item, ResultItem) and not answered and item.call_id not in settled:
                told.append(self._told_result(item, items, question))
        return told

    def _told_result(self, item: ResultItem, items: Sequence[Item], question: str) -> str:
        if item.name == IGNORE_USER:
            return farewell(item.body, _arguments_of(item.call_id, items))
        searches = looked(items) if item.name == SEARCH else []
        # What was found before stands, whatever became of the search in another part.
        merged = {"ok": True, "data": together(question, searches), "notices": item.body.get("notices")}
        body = item.body if len(searches) < 2 else merged
        return tell(item.name, body, question, self._meaning, voice=self._voice)

    def _can_do(self, declared: Collection[str]) -> str:
        return talk.what_i_can_do(self._registry, sorted(set(declared) - NEVER_BY_WISH, key=_by_use))


class _Turn:
    """One message of the user, and what comes of it."""

    def __init__(self, dialogue: Dialogue, before: Sequence[Item], declared: Collection[str], heard: Heard) -> None:
        self._dialogue = dialogue
        self._registry = dialogue._registry
        self._before = before
        self._declared = frozenset(declared)
        self._heard = heard

    def reply(self) -> Reply:
        match judge(self._heard.text, self._before, can_block=IGNORE_USER in self._declared):
            case Warn(text):
                return Reply(text, parts=(dict(WARNED),))
            case Block(args):
                return Reply(calls=((IGNORE_USER, args),))
        if (continued := self._continued()) is not None:
            return continued
        can_do = self._dialogue._can_do(self._declared)
        if (chat := talk.small_talk(self._heard.text, can_do)) is not None and not self._dialogue._voice:
            return Reply(chat)
        route = self._dialogue._router.looks_up(self._heard.text, self._declared)
        if route.tool is not None:
            return self._use(route.tool, {})
        if route.between:
            state = {"offline": _CHOOSES, "between": list(route.between), "text": self._heard.text}
            return Reply(talk.which_of(route.between), parts=(state,))
        abstaining = talk.abstain(can_do, can_search="kb_search" in self._declared)
        return Reply(talk.small_talk(self._heard.text, can_do) or abstaining)

    def _continued(self) -> Reply | None:
        """The answer to what was asked in the step before; None where nothing was asked, or this is no answer to it."""
        last = next((item for item in reversed(self._before) if isinstance(item, StepItem)), None)
        state = next((part for part in last.parts if part.get("offline") in (_ASKS, _CHOOSES)), None) if last else None
        if state is None:
            return None
        if talk.is_dropping(self._heard.text):
            return Reply(talk.DROPPED)
        return self._chosen(state) if state["offline"] == _CHOOSES else self._completed(state)

    def _chosen(self, state: Mapping[str, Any]) -> Reply | None:
        """One of two tools, by its place or by what it is called."""
        between = [tool for tool in state["between"] if tool in self._declared]
        text = self._heard.text.lower()
        places = [
            (r, n) for n, words in enumerate((("first", "former"), ("second", "latter"))) for r in words if r in text
        ]
        named = [tool for tool in between if any(word in text for word in tool.split("_") if len(word) > 3)]
        tool = between[places[0][1]] if places and len(between) == 2 else named[0] if len(named) == 1 else None
        if tool is None:
            return None
        return self._use(tool, {}, heard=Heard(state["text"], self._heard.now, self._heard.region))

    def _completed(self, state: Mapping[str, Any]) -> Reply | None:
        """The tool that waited for an argument, with it."""
        tool, slot = state["tool"], state["slot"]
        if tool not in self._declared:
            return None
        schema = self._registry.json_schema(tool)
        found = fill(tool, schema, self._heard, self._registry.tool_ids()).args
        if slot not in found or is_free(schema["properties"][slot]):
            elsewhere = self._dialogue._router.route(self._heard.text, self._declared - {tool})
            if elsewhere.tool is not None and elsewhere.score >= _SURE:
                return None
            if not is_free(schema["properties"][slot]):
                return self._asked(tool, state["args"], slot, schema) if elsewhere.tool is None else None
            found = {slot: found.get(slot) or self._heard.text.strip()}
        return self._use(tool, {**found, **state["args"]}, filled=True)

    def _use(self, tool: str, args: dict[str, Any], *, heard: Heard | None = None, filled: bool = False) -> Reply:
        """Call the tool, or ask for what it lacks."""
        heard = heard or self._heard
        schema = self._registry.json_schema(tool)
        if not filled:
            tools = self._registry.tool_ids("voice" if self._dialogue._voice else "text")
            args = fill(tool, schema, heard, tools).args or args
        if tool == "kb_get" and not args:
            args = ids_meant(heard.text, self._before)
        slot = missing(tool, schema, args)
        if slot is not None:
            return self._asked(tool, args, slot, schema)
        return Reply(calls=((tool, self._with_fields(tool, args)),))

    def _asked(self, tool: str, args: Mapping[str, Any], slot: str, schema: Mapping[str, Any]) -> Reply:
        state = {"offline": _ASKS, "tool": tool, "args": dict(args), "slot": slot}
        return Reply(talk.question_for(slot, schema), parts=(state,))

    def _with_fields(self, tool: str, args: dict[str, Any]) -> dict[str, Any]:
        """In text an answer is made of whole records: a snippet may lack the sentence that was asked for."""
        if tool != "kb_search" or self._dialogue._voice:
            return args
        return {**args, "return_fields": ["snippet", "full_text", "metadata", "url"]}


def _question(items: Sequence[Item]) -> str:
    return next((item.text for item in reversed(items) if isinstance(item, UserItem)), "")


def _is_search(fresh: Sequence[Item]) -> bool:
    return len(fresh) == 1 and isinstance(fresh[0], ResultItem) and fresh[0].name == SEARCH


def _last_user(items: Sequence[Item]) -> int:
    return next(n for n in reversed(range(len(items))) if isinstance(items[n], UserItem))


def _arguments_of(call_id: str, items: Sequence[Item]) -> dict[str, Any]:
    for item in items:
        for call in item.calls if isinstance(item, StepItem) else ():
            if call.id == call_id:
                args: dict[str, Any] = orjson.loads(call.args)
                return args
    return {}


def _by_use(tool: str) -> tuple[bool, str]:
    """Looking things up is what most people come for."""
    return (not tool.startswith("kb_search"), tool)
