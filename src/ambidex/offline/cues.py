"""Signs in a text that speak for a tool, or against it, whatever its words mean: an id, a time stamp, an address.

A sign adds to a tool's nearness, a missing one takes away. They are for tools that come with Ambidex; any other tool is
found by its phrases alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

RECORD_ID = re.compile(r"\b(?:project|person|process|link|doc):[a-z0-9][a-z0-9._-]*[a-z0-9]\b", re.IGNORECASE)
TIMESTAMP = re.compile(r"\b\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:\d\d)?")
TOOL_ID = re.compile(r"\b[a-z]+_[a-z_]+\b")
"""The underscore tells an id from a word: nobody writes kb_search and means anything else."""


@dataclass(frozen=True, slots=True)
class Cue:
    tool: str
    shape: re.Pattern[str]
    weight: float


def _cue(tool: str, weight: float, shape: str) -> Cue:
    return Cue(tool, re.compile(shape, re.IGNORECASE), weight)


_CLOCK = r"(?:\b\d{1,2}(?::\d\d)?\s*[ap]\.?m\b|\b\d{1,2}:\d\d\b|\bnoon\b|\bmidnight\b|\bhalf past\b|\bin the morning\b)"
_POINTED_AT = (
    r"\b(?:that|this|first|second|third|last|other) (?:record|document|result|one|entry|hit)\b|\bboth of them\b"
)
_REACH = r"@|https?://|\d{3}[\s-]?\d{3}"

FOR: tuple[Cue, ...] = (
    Cue("kb_get", RECORD_ID, 0.6),
    _cue("kb_get", 0.2, rf"\b(?:open|show|read|get)\b.*(?:{_POINTED_AT})"),
    _cue(
        "kb_search",
        0.15,
        r"\b(?:we|our|us|the studio|the company|this company|work(?:ing)? here|(?:for|at) work|colleagues?)\b",
    ),
    _cue(
        "kb_search", 0.15, r"\b(?:teams?|clients?|projects?|handbook|policy|process|checklist|guidelines?|prototype)\b"
    ),
    _cue(
        "kb_search", 0.15, r"\b(?:knowledge base|kb|records|notes|documents?|linkedin|library|programme|case study)\b"
    ),
    _cue("kb_search", 0.15, r"^\W*(?:search|serch|find|look up|look for|look in|retrieve|dig up|tell me about)\b"),
    _cue("kb_search", 0.15, r"\b(?:who|people|which) .*\b(?:leads?|runs|works?|worked|responsible|wrote|knows?|ask)\b"),
    _cue(
        "kb_search",
        0.20,
        r"\b(?:info|information|overview|background|results?|links?|anything|everything) (?:about|on|to)\b",
    ),
    _cue(
        "kb_search",
        0.40,
        r"\b(?!(?:what|that|it|who)['’]s)(?:\w+['’]s|his|her) (?:e-?mail|phone|telephone|number|address|role"
        r"|job|title)\b(?! (?:in|from|below))",
    ),
    _cue("reg_describe", 0.25, r"\btool\b"),
    Cue("reg_describe", TOOL_ID, 0.5),
    _cue("extract_contacts", 0.15, r"[\w.+-]+@[\w-]+\.\w|https?://|(?:\+\d{1,3}[\s-]?)?\(?\d{2,5}\)?[\s-]\d{3,}"),
    _cue("extract_contacts", 0.15, r"\b(?:extract|pull out|pull the|grab|parse|scan)\b"),
    _cue(
        "extract_contacts",
        0.15,
        r"\b(?:e-?mails?|numbers?|telephone|contacts?|urls?|named|mentioned)\b.*\b(?:in|from|below|this|here)\b",
    ),
    Cue("format_datetime", TIMESTAMP, 0.35),
    _cue("format_datetime", 0.25, rf"{_CLOCK}.*\b(?:in|to|for|time|utc)\b"),
    _cue(
        "format_datetime",
        0.35,
        r"\b(?:how long|how far away|how many days|days) (?:until|till|since|ago|(?:is|was) (?:it|that|the \d"
        r"|\d|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))",
    ),
    _cue("format_datetime", 0.15, r"\b(?:time ?stamp|time ?zone|short (?:form|date))\b"),
    _cue("image_draft_prompt", 0.2, r"\bprompts?\b"),
    _cue("image_draft_prompt", 0.1, r"\b(?:images?|pictures?|visual|illustration|motif|cover|header|poster)\b"),
    _cue("image_generate", 0.3, r"^\W*(?:generate|draw|paint|render|create|make|produce|visuali[sz]e)\b"),
    _cue("start_voice_session", 0.15, r"\b(?:voice|speak|microphone|out loud)\b"),
    _cue(
        "start_voice_session",
        0.7,
        r"\b(?:(?:can|could) (?:we|i) (?:just )?(?:talk|speak)|(?:call|ring|phone) me|talk to you)\b",
    ),
    _cue("end_voice_session", 0.15, r"\b(?:bye|goodbye|hang up|disconnect|end the call)\b"),
    _cue("end_voice_session", 0.2, r"\b(?:we're|we are|i'm|i am) done\b|\bthat's all\b|\brather (?:type|write)\b"),
    _cue(
        "calendar_get_availability", 0.3, r"\b(?:free|available|availability|busy|slots?|gap|have time|(?:we|i) meet)\b"
    ),
    _cue(
        "calendar_create_event", 0.4, r"\b(?:book|schedule|set up|arrange|invite|appointment|event|in the calendar)\b"
    ),
)
AGAINST: tuple[Cue, ...] = (
    # The phrases of kb_get name records; sharing a name with them means nothing where none is pointed at.
    _cue("kb_get", 0.5, rf"{RECORD_ID.pattern}|{_POINTED_AT}"),
    _cue(
        "extract_contacts",
        0.2,
        rf"{_REACH}|\b(?:e-?mails?|phones?|telephone|numbers?|contacts?|addresse?s?|names?|named|mentioned)\b",
    ),
    _cue(
        "reg_describe", 0.2, rf"\btools?\b|{TOOL_ID.pattern}|\b(?:documentation|docs|manual|parameters?|arguments?)\b"
    ),
    _cue(
        "format_datetime",
        0.2,
        rf"{TIMESTAMP.pattern}|{_CLOCK}|\b(?:times?|dates?|days?|deadline|until|since|ago|convert|time ?stamp)\b",
    ),
    _cue(
        "image_draft_prompt",
        0.2,
        r"\b(?:prompts?|images?|pictures?|photos?|visuals?|illustrations?|motifs?|cover|poster|logo|dalle|midjourney)\b",
    ),
    _cue("start_voice_session", 0.1, r"\b(?:voice|speak|talk|call|ring|phone|mic|microphone|loud|typing|say)\b"),
)
"""A tool without its sign loses the weight."""


def bonuses(text: str, instruction: str, tools: Collection[str]) -> dict[str, float]:
    """What the signs of a text add to each tool or take away; a pasted text's signs count for one tool alone."""
    found = dict.fromkeys(tools, 0.0)
    for cue in FOR:
        if cue.tool in found and cue.shape.search(_place(cue, text, instruction)):
            found[cue.tool] += cue.weight
    for cue in AGAINST:
        if cue.tool in found and not cue.shape.search(_place(cue, text, instruction)):
            found[cue.tool] -= cue.weight
    return found


def _place(cue: Cue, text: str, instruction: str) -> str:
    return text if cue.tool == "extract_contacts" else instruction
