"""What the tools that come with Ambidex are asked in: one rule each. Every other tool is filled by its schema alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeAlias

from ambidex.offline.cues import RECORD_ID, TOOL_ID
from ambidex.offline.slots.calendars import event_to_create, range_to_look_at
from ambidex.offline.slots.heard import Heard
from ambidex.offline.slots.numbers import digits
from ambidex.offline.slots.pictures import image_brief, image_to_make
from ambidex.offline.slots.places import region
from ambidex.offline.slots.timing import moment_to_tell
from ambidex.offline.words import words

Rule: TypeAlias = Callable[[Heard, Collection[str]], dict[str, Any]]
"""What was said, and the tools there are -> arguments."""

_TYPES = {
    "project": "project",
    "people": "person",
    "person": "person",
    "link": "link",
    "document": "doc",
    "doc": "doc",
    "process": "process",
}
_LOOKING = re.compile(
    r"^\W*(?:(?:search|serch|look|check)(?: (?:in|through))?(?: (?:the|our|my))?(?: (?:kb|knowledge base"
    r"|personal notes|notes|public records|records))?"
    r"(?: for)?\b|find(?: me| out)?|look up|dig up|retrieve|show me|list|tell me(?: about)?|get me|give me"
    r"|explain|i need"
    r"|i want to know|i'd like to know|to know|do you (?:have|know)|is there|are there|anything (?:on|about)"
    r"|everything (?:on|about)"
    r"|(?:any )?(?:info|information|background)(?: (?:on|about))?|a quick overview of|an overview of"
    r"|what (?:do )?we (?:know|wrote) about"
    r"|top \d+ results? (?:about|on|for)|all)\b[\s:,]*",
    re.IGNORECASE,
)
_OF_TYPE = re.compile(
    r"^\W*(?:find|list|show|get|give|search for)?(?: me)?(?: all| the| \d+| some| any)*\s*\b(projects"
    r"|people(?! who)|links|documents|docs|processes)\b"
    r"(?= (?:tagged|about|on|from|in|with|for|of))",
    re.IGNORECASE,
)
_HOW_MANY = re.compile(
    r"\b(?:top|first) (\d{1,2})\b|\b(\d{1,2}) (?:results|documents|docs|projects|links|people|records)\b", re.IGNORECASE
)
_NAMESPACES = (
    ("personal", r"\b(?:my )?personal (?:notes|records|stuff)|\bmy notes\b"),
    ("public", r"\bpublic (?:records|notes|pages)\b"),
)
_REACHABLE = re.compile(r"@|https?://|\d[\d\s()/-]{5,}\d")
_VOICE_WISH = re.compile(r"\b(?:voice|talk|speak|call|ring|phone|mic|microphone|out loud)\b", re.IGNORECASE)
_ABOUT = re.compile(r"\b(?:about|regarding|discuss)\s+(.+)$", re.IGNORECASE | re.DOTALL)
_THEN_ASKS = re.compile(
    r",\s*((?:can|could) you .+|(?:who|what|when|where|how|which|why|tell|i want to know)\b.+)$",
    re.IGNORECASE | re.DOTALL,
)


def knowledge_search(heard: Heard, _: Collection[str]) -> dict[str, Any]:
    written = digits(heard.bare)
    found: dict[str, Any] = {"query": query_of(heard.bare)}
    for namespace, shape in _NAMESPACES:
        if re.search(shape, heard.said, re.IGNORECASE):
            found["namespace"] = namespace
    if kind := _OF_TYPE.match(written):
        found["filters"] = {"type": _TYPES[re.sub(r"(?<=ss)es$|s$", "", kind[1].lower())]}
    if count := _HOW_MANY.search(written):
        found["top_k"] = max(1, min(10, int(count[1] or count[2])))
    return found


def query_of(bare: str) -> str:
    """The question without the command to look it up."""
    query = bare
    while (shorter := _LOOKING.sub("", query, count=1)) != query and shorter.strip(" ?.!"):
        query = shorter
    return query.strip(" ?.!\n")[:200] or bare[:200]


def records_by_id(heard: Heard, _: Collection[str]) -> dict[str, Any]:
    ids = list(dict.fromkeys(found.lower() for found in RECORD_ID.findall(heard.said)))
    if not ids:
        return {}
    return {"id": ids[0]} if len(ids) == 1 else {"ids": ids[:5]}


def text_with_contacts(heard: Heard, _: Collection[str]) -> dict[str, Any]:
    """What was pasted; the whole message where the pasted part is not the part with addresses."""
    text = heard.payload
    if _REACHABLE.search(heard.said) and not (text and _REACHABLE.search(text)):
        text = heard.text
    if not text:
        return {}
    whose = region(heard.instruction if text == heard.payload else heard.said)
    return {"text": text} | ({"default_region": whose} if whose else {})


def tool_meant(heard: Heard, tools: Collection[str]) -> dict[str, Any]:
    """An id as it is written, else the tool whose id shares most beginnings of words with what was said."""
    named = [name for name in TOOL_ID.findall(heard.said.lower()) if name in tools]
    if named:
        return {"toolId": named[0]}
    said = [word[:4] for word in words(heard.said) if len(word) > 3]

    def shared(tool: str) -> int:
        return sum(any(part.startswith(start) for start in said) or part[:4] in said for part in tool.split("_"))

    best = max(sorted(tools), key=shared, default="")
    return {"toolId": best} if best and shared(best) else {}


def voice_wish(heard: Heard, _: Collection[str]) -> dict[str, Any]:
    """Only the request: neither the greeting nor the wish to talk."""
    if heard.payload and _VOICE_WISH.search(heard.instruction) and not _VOICE_WISH.search(heard.payload):
        return {"pending_request": re.sub(r"^it's about\s+", "", heard.payload, flags=re.IGNORECASE)[:500]}
    found = _THEN_ASKS.search(heard.said) or _ABOUT.search(heard.bare)
    return {"pending_request": found[1].strip()[:500] if found else ""}


def goodbye(heard: Heard, _: Collection[str]) -> dict[str, Any]:
    writes = re.search(r"\b(?:chat|typ(?:e|ing)|text|writ(?:e|ing))\b", heard.said, re.IGNORECASE)
    return {"reason": "switch_to_text"} if writes else {}


RULES: Mapping[str, Rule] = {
    "kb_search": knowledge_search,
    "kb_get": records_by_id,
    "extract_contacts": text_with_contacts,
    "format_datetime": lambda heard, _: moment_to_tell(heard),
    "reg_describe": tool_meant,
    "start_voice_session": voice_wish,
    "end_voice_session": goodbye,
    "calendar_get_availability": lambda heard, _: range_to_look_at(heard),
    "calendar_create_event": lambda heard, _: event_to_create(heard),
    "image_draft_prompt": lambda heard, _: image_brief(heard),
    "image_generate": lambda heard, _: image_to_make(heard),
}
