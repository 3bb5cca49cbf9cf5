"""Arguments of the two image tools: what to show, in which style, how many."""

from __future__ import annotations

import re
from typing import Any

from ambidex.offline.slots.heard import Heard
from ambidex.offline.slots.numbers import digits

_THING = (
    r"(?:prompts?|ideas?|variations?|motifs?|images?|pictures?|illustrations?|photos?|shots?|visuals?"
    r"|scenes?|suggestions?)"
)
_COMMAND = re.compile(
    rf"^.*?\b(?:(?:image |picture |visual )?{_THING})(?:\s+(?:ideas?|prompts?|variations?|generator))*"
    r"(?:\s+(?:for dall-?e|for midjourney))?\s*(?:,|:|\bof\b|\bfor\b|\babout\b|\bthat\b|\bon\b|$)\s*",
    re.IGNORECASE | re.DOTALL,
)
_DESCRIBE = re.compile(r"\bdescribe\s+(.+?)\s+(?:to|for) an? image generator", re.IGNORECASE)
_MAKING = re.compile(
    rf"^\W*(?:generate|draw|paint|render|create|make|produce|visuali[sz]e|i want)(?: me)?\s*(?:\d+\s+|an?\s+|the\s+)?"
    rf"(?:(?:landscape|portrait|square)(?: format)?\s+)?(?:{_THING}\s*(?:of|:|showing)?\s*)?",
    re.IGNORECASE,
)
_STYLES = (
    r"water ?colou?r|oil painting|pixel art|(?:\d+ ?mm )?(?:photograph|photo)|pencil (?:sketch|drawing)"
    r"|line art|charcoal"
    r"|flat (?:screen print|design|illustration)|screen print|linocut|collage|isometric|comic|manga|3d render"
    r"|vector art"
)
_TAIL = re.compile(
    rf"[,.]?\s*(?:\b(?:in the style of|in|as) (?:an? )?(?:{_STYLES})|\d+ of them|help me (?:phrase|word) it"
    rf"|please generate it)\s*$",
    re.IGNORECASE,
)
_STYLE = re.compile(rf"\b(?:(?:in the style of|as) (?:an? )?({_STYLES})|((?!photo){_STYLES}))(?=\b)", re.IGNORECASE)
_VARIANTS = re.compile(
    r"\b([1-4])\s+(?:\w+\s+){0,3}?(?:prompts?|variations?|versions?|variants?|ideas?|options?)\b"
    r"|\b([1-4]) of them\b",
    re.IGNORECASE,
)
_SIZES = (
    ("1536x1024", r"\blandscape\b(?= format| orientation| image| picture)"),
    ("1024x1536", r"\bportrait (?:format|orientation)\b"),
)


def image_brief(heard: Heard) -> dict[str, Any]:
    """Nothing of `brief` where only the wish for a prompt was told."""
    written = digits(heard.bare)
    found: dict[str, Any] = {}
    described = _DESCRIBE.search(heard.bare)
    if brief := heard.payload or (described[1] if described else _shown(heard.bare, _COMMAND)):
        found["brief"] = brief[:1000]
    if style := _STYLE.search(heard.said):
        found["style"] = (style[1] or style[2]).lower()
    if count := _VARIANTS.search(written):
        found["variants"] = int(count[1] or count[2])
    return found


def image_to_make(heard: Heard) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if prompt := heard.payload or _shown(heard.bare, _MAKING):
        found["prompt"] = prompt[:2000]
    if count := re.search(rf"\b([12]) {_THING}", digits(heard.bare), re.IGNORECASE):
        found["count"] = int(count[1])
    for size, shape in _SIZES:
        if re.search(shape, heard.said, re.IGNORECASE):
            found["size"] = size
    return found


def _shown(bare: str, command: re.Pattern[str]) -> str:
    """What is left when the command before it and the wishes behind it are gone."""
    rest = command.sub("", bare, count=1)
    return _TAIL.sub("", rest).strip(" ,.?!:\n")
