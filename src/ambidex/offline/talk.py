"""Sentences of the offline provider's own: who it is, what it can do, and what it asks back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ambidex.registry.registry import Registry

LABEL = "(Offline: no language model is connected. I match what you say to tools and answer from records.)"
WELCOME = "You're welcome."
GOODBYE = "Goodbye."
DROPPED = "All right, I'll leave that."

_GREETING = re.compile(
    r"^\W*(?:hi|hello|hey|yo|good (?:morning|afternoon|evening))(?: there| again| all)?\W*$", re.IGNORECASE
)
_THANKS = re.compile(
    r"^\W*(?:ok(?:ay)?,?\s*)?(?:thanks|thank you|thx|cheers|great|perfect)(?: a lot| so much| very much)?\W*$",
    re.IGNORECASE,
)
_BYE = re.compile(r"^\W*(?:ok(?:ay)?,?\s*)?(?:bye|goodbye|bye bye|see you(?: later| tomorrow)?)\W*$", re.IGNORECASE)
_HELP = re.compile(
    r"^\W*(?:help|what can you do|how can you help(?: me)?|what are you able to do|commands)\W*$", re.IGNORECASE
)
_DROP = re.compile(
    r"^\W*(?:never ?mind|cancel|forget it|stop|no|nope|leave it|drop it)(?:,? (?:thanks|thank you))?\W*$", re.IGNORECASE
)

_QUESTIONS: Mapping[str, str] = {
    "query": "What shall I look for?",
    "id": "Which record? Please give me its id, for example person:ada-okafor.",
    "value": "Which date and time do you mean?",
    "text": "Which text? Please paste it here.",
    "brief": "What should the picture show?",
    "prompt": "What should the picture show?",
    "toolId": "Which tool do you mean?",
    "title": "What should it be called?",
    "start_time": "When should it begin?",
    "end_time": "When should it end, or how long should it take?",
    "start_date": "From when?",
    "end_date": "Until when?",
    "attendees": "Who should be invited? Please give me their e-mail addresses.",
}


def small_talk(text: str, can_do: str) -> str | None:
    """The answer to a greeting, thanks, a goodbye or a call for help; None for everything else."""
    if _GREETING.match(text):
        return f"Hello! {can_do}"
    if _THANKS.match(text):
        return WELCOME
    if _BYE.match(text):
        return GOODBYE
    return can_do if _HELP.match(text) else None


def is_dropping(text: str) -> bool:
    """The user does not want it any more."""
    return _DROP.match(text) is not None


def question_for(slot: str, schema: Mapping[str, Any]) -> str:
    """What to ask for a missing argument: in words of ours, else with the author's description."""
    if slot in _QUESTIONS:
        return _QUESTIONS[slot]
    about = str(schema.get("properties", {}).get(slot, {}).get("description", "")).split(". ")[0].rstrip(".")
    return f"I need one more thing: {slot.replace('_', ' ')}{f' ({about})' if about else ''}. What should it be?"


def what_i_can_do(registry: Registry, tools: Iterable[str]) -> str:
    """An example of each tool, in its users' words."""
    examples = [f"“{phrases[0]}”" for tool in tools if (phrases := registry.phrases(tool))]
    return (
        f"You can say, for example: {', '.join(examples[:6])}."
        if examples
        else "There is no tool that I could use here."
    )


def abstain(can_do: str, *, can_search: bool) -> str:
    hint = " If it is something that our records may hold, begin with “search for”." if can_search else ""
    return f"That is outside of what I can do offline.{hint} {can_do}"


def which_of(tools: Iterable[str]) -> str:
    first, second = (name.replace("_", " ") for name in tools)
    return f"I'm not sure which you mean: {first}, or {second}?"
