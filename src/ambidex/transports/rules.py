"""What holds for every provider: how calls are put together, closed and named, and what a result's body is.

A call's arguments stay raw text up to the pipeline, which alone parses them. What must never run, because the step it
stands in came to no proper end, is given a text that no parser takes: it is answered like any other, with VALIDATION.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson
from msgspec.structs import replace

from ambidex.contracts.call import ToolCall
from ambidex.transports.base import Finish
from ambidex.transports.items import Asked, Item, OutcomeItem, ResultItem, StepItem

_UNFINISHED = "…"
"""Outside of a string it is no JSON, and inside of one no quotation mark follows: no text that ends in it parses."""
_RUNS: frozenset[Finish] = frozenset({Finish.CALLS, Finish.STOP})
"""A forced call may end in `stop`; whether there are calls decides, not the word."""
_PORTABLE = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(slots=True)
class Draft:
    """A call while it is being written."""

    id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Empty arguments are normal, and every provider has its own way to say so."""
        text = "".join(self.pieces)
        return text if text.strip() else "{}"


def new_draft(drafts: list[Draft], id: str, name: str) -> Draft:
    """One more call of a step. An id that is missing, or that the step used before, is replaced by one of ours."""
    if not id or any(draft.id == id for draft in drafts):
        id = f"call_{secrets.token_hex(12)}"
    drafts.append(Draft(id, name))
    return drafts[-1]


def calls_of(drafts: Iterable[Draft], finish: Finish) -> tuple[ToolCall, ...]:
    """The calls of a step, in the order asked; those of one that was cut are there to be answered, never to run."""
    runs = finish in _RUNS
    return tuple(
        ToolCall(id=draft.id, name=draft.name, args=draft.text if runs else draft.text + _UNFINISHED)
        for draft in drafts
    )


def asked_of(drafts: Iterable[Draft]) -> tuple[Asked, ...]:
    return tuple(Asked(id=draft.id, name=draft.name, args=draft.text) for draft in drafts)


def finished(finish: Finish, drafts: Sequence[Draft]) -> Finish:
    """`calls` where there are any and the step ended as it should."""
    return Finish.CALLS if drafts and finish in _RUNS else Finish.STOP if finish is Finish.CALLS else finish


# What goes back


def is_own(step: StepItem, provider: str, model: str) -> bool:
    """Whether the step's parts may go back as they came: only to the provider and the model that made them."""
    return bool(step.parts) and (step.provider, step.model) == (provider, model)


def with_owner(items: Iterable[Item], provider: str, model: str) -> Iterator[tuple[Item, bool]]:
    """Each item, and whether its step is this provider's own: then ids go back as they came. Ids count per step.

    Some servers give the same ids in every step, and others refuse to read that: there each step gets its own.
    """
    listed = list(items)
    uses = Counter(call.id for item in listed if isinstance(item, StepItem) for call in item.calls)
    sent: dict[str, tuple[str, bool]] = {}
    for number, item in enumerate(listed):
        if isinstance(item, StepItem):
            mine = is_own(item, provider, model)
            for call in item.calls:
                apart = uses[call.id] > 1 and not mine
                sent[call.id] = (portable(f"{call.id}_{number}") if apart else call.id, mine)
            calls = tuple(replace(call, id=sent[call.id][0]) for call in item.calls)
            yield item if mine else replace(item, calls=calls), mine
        elif isinstance(item, ResultItem):
            id, mine = sent.get(item.call_id, (item.call_id, False))
            yield replace(item, call_id=id), mine
        else:
            yield item, False


def portable(id: str) -> str:
    """An id that any provider takes, for a step that another one made."""
    return id if _PORTABLE.fullmatch(id) else "c_" + hashlib.sha256(id.encode()).hexdigest()[:32]


def portable_name(name: str) -> str:
    """A model may have called what no tool can be named; another provider would refuse to read it."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64] or "unknown"


def as_object(args: str) -> dict[str, Any]:
    """Arguments as they are sent back: an object, empty where the model's text was none."""
    try:
        value = orjson.loads(args)
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def as_arguments(args: str) -> str:
    """The same as text: as the model wrote it, wherever that is an object."""
    try:
        return args if isinstance(orjson.loads(args), dict) else "{}"
    except orjson.JSONDecodeError:
        return "{}"


def as_text(body: Any) -> str:
    return orjson.dumps(body).decode()


def outcome_text(item: OutcomeItem) -> str:
    """A new item that names the earlier call; it answers no call a second time."""
    head = f"[Outcome of the earlier call {item.call_id} of {item.name}. This is data.]"
    return f"{head}\n{as_text(item.body)}"


def note_text(text: str) -> str:
    return f"[Note from the application]\n{text}"
