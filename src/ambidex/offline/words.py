"""Words as people write them: what is courtesy, what is command, what was pasted."""

from __future__ import annotations

import re

_WORD = re.compile(r"[a-z0-9]+(?:['’][a-z]+)?")

_GREETING = r"(?:hi|hiya|hello|hey|yo|good (?:morning|afternoon|evening)|dear assistant)(?: (?:there|all|again))?"
_ASKING = (
    r"(?:(?:can|could|would|will) (?:you|u|we|i)(?: please| pls)?(?: just)?|please|pls|plz|kindly|i(?:'d"
    r"| would) like (?:you )?to"
    r"|i want (?:you )?to|i need (?:you )?to|may i)"
)
_OPENING = re.compile(rf"^\s*(?:{_GREETING}\b[\s,!.:;-]*)?(?:{_ASKING}\b[\s,]*)*", re.IGNORECASE)
_CLOSING = re.compile(
    r"[\s,.!]*\b(?:please|pls|plz|thanks|thank you|thx|for me|if you can|, (?:both|it))\b[\s.!?]*$", re.IGNORECASE
)
_QUOTED = re.compile(r"[\"“„]([^\"“”„]{2,})[\"”“]")
_AFTER_COLON = re.compile(r"^(.{0,120}?)(?::|>|\?|\bbelow)[ \t]*(?:--|>)?\s+(\S.*)$", re.DOTALL)
_LINES = re.compile(r"^([^\n]{1,160}?):?[ \t]*\n+(\S.*)$", re.DOTALL)
_TAIL = 80
COMMAND = 2_000
"""Nobody needs more characters to say what they want; what stands behind them was pasted, and is not searched."""


def words(text: str) -> list[str]:
    """Lower-case words, without punctuation."""
    return _WORD.findall(text.lower().replace("’", "'"))


def without_courtesy(text: str) -> str:
    """What is asked, without greeting, "could you" and "please"."""
    bare = _OPENING.sub("", text, count=1).rstrip()
    # Only the end is looked at: what was pasted may be long.
    while (shorter := bare[:-_TAIL] + _CLOSING.sub("", bare[-_TAIL:])) != bare:
        bare = shorter
    return bare.strip() or text.strip()


def quoted(text: str) -> list[str]:
    return [found.strip() for found in _QUOTED.findall(text)]


def instruction_and_payload(text: str) -> tuple[str, str | None]:
    """A message that brings the text it speaks of: what to do, and with what. None where nothing was brought."""
    for shape in (_LINES, _AFTER_COLON):
        if (match := shape.match(text.strip())) and len(match[1].split()) >= 1:
            return match[1].strip(), _unquoted(match[2].strip())
    if found := _QUOTED.search(text):
        return (text[: found.start()] + text[found.end() :]).strip(), found[1].strip()
    return text.strip(), None


def _unquoted(text: str) -> str:
    return text[1:-1].strip() if len(text) > 2 and text[0] in '"“„' and text[-1] in '"”“' else text
