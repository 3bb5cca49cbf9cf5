"""Is a message abuse, and how grave? Abuse is aimed at a person; swearing at a situation and criticism are not.

Rules, not a judge: what they miss goes unpunished, and what they find must be plain to everybody who reads along.
"""

from __future__ import annotations

import re
from enum import IntEnum

from ambidex.offline.slurs import is_slur
from ambidex.offline.words import COMMAND, words


class Gravity(IntEnum):
    NONE = 0
    ABUSE = 1
    EXTREME = 2
    """Threats and slurs."""


_CALLING = (
    r"(?:idiots?|morons?|imbeciles?|cretins?|scum(?:bags?)?|losers?|bastards?|bitch(?:es)?|ass-?holes?|arse-?holes?|pricks?"
    r"|dumb-?ass(?:es)?|jackass|dickheads?|wankers?|twats?|cunts?|whores?|sluts?|shit-?heads?"
    r"|(?:pieces?|sacks?|bags?) of (?:trash|garbage|shit|crap|filth|dirt))"
)
"""Insults even when nobody is named."""
_NAME = rf"(?:{_CALLING}|freaks?|pigs?|cows?|vermin|creeps?|parasites?|clowns?)"
"""Insults once they are said of somebody."""
_VILE = r"(?:worthless|pathetic|disgusting|filthy|brainless|stupid|dumb|ugly|vile|repulsive|braindead|moronic|idiotic)"
_FILLER = (
    rf"(?:an?|the|such|all|just|so|really|absolute|total|complete|utter|arrogant|bloody|damn|dirty|fat|fucking|goddamn|little"
    rf"|lying|old|useless|miserable|rotten|lousy|(?:bunch|pack) of|{_VILE})"
)
"""Between "you" and a name only these may stand: "you draw a pig" is a request."""
_ARE = r"(?:you(?:'re| are)|ur|u r|your? (?=an? |such |all ))"
_WILL = (
    r"(?:i(?:'ll| will|'m going to| am going to|'m gonna| gonna)|im (?:going to|gonna)"
    r"|i swear)\b(?!.{0,10}\b(?:not|never)\b)"
)
_HARM = r"(?:kill|murder|stab|shoot|strangle|hurt|punch|rape)"

_EXTREME = tuple(
    re.compile(shape)
    for shape in (
        rf"\b{_WILL}.{{0,30}}\b{_HARM}\b.{{0,15}}\b(?:you|u|ya|your (?:family|kids|children))\b",
        rf"\b{_WILL}.{{0,30}}\b(?:beat (?:you|u) (?:up|to|senseless)|hunt (?:you|u) down|(?:burn|bomb"
        rf"|blow up) (?:you|your)\b)",
        r"\bcoming (?:for (?:you|u)\b|.{0,20}\bwith a (?:knife|gun|bat))",
        r"\b(?:kill|hang|shoot) (?:yourself|urself|yourselves)\b|\bkys\b",
        r"(?:^|[,.!;:]\s*|\b(?:you|u)(?: all)? (?:should )?)(?:just |go |please )*die\b\W*$",
        r"\bhope (?:you|u|they)(?: all)? (?:die|suffer|rot|get (?:cancer|hurt|killed|raped))\b",
        r"\b(?:you|u)(?:'re| are) (?:dead|going to die|gonna die)\W*$|\bwatch your back\b\W*(?:$|i'm\b|i'll\b)",
    )
)
_ABUSE = tuple(
    re.compile(shape)
    for shape in (
        r"\b(?:fuck|screw|damn) (?:you|u|ya)\b|\b(?:fuck|piss) off\b|\bgo to hell\b|\brot in hell\b|\b(?:suck"
        r"|lick) my\b",
        r"\bshut (?:the (?:fuck|hell) )?up\b|\bshut (?:your|ur) (?:\w+ )?(?:mouth|face|trap)\b",
        rf"\b{_ARE} ?(?:{_FILLER} )*(?:{_NAME}|{_VILE})\b(?! (?:answer|search|idea|suggestion|tool|software"
        rf"|result|system))",
        rf"(?<!are )\b(?:you|u) (?:{_FILLER} )*{_NAME}\b|(?<!are )\b(?:you|u) (?:{_FILLER} )*{_VILE} \w+",
        rf"\bwhat an? (?:{_FILLER} )*{_NAME}\b(?: you are)?\W*$|\b{_NAME},? you\b",
        r"\b(?:i|we|everyone|everybody) (?:hates?|despises?) you\b|\byou (?:disgust me|make me sick"
        r"|waste of (?:space|air|oxygen))\b",
        r"\b(?:drop dead|burn in hell|eat shit|go screw yourself|go fuck yourself|get lost,? you)\b",
        rf"\byour \w+ (?:is|are) (?:{_FILLER} )*{_NAME}\b",
        rf"^\W*{_CALLING}\W*$|,\s*{_CALLING}\W*$|\b(?:bunch|pack|load) of {_CALLING}\b",
        r"\b(?:nobody|no one) (?:likes|wants|loves) (?:you|u)\b",
    )
)
_MASKED = re.compile(r"\b[a-z]+[*#@$!]+[a-z]*|\b[a-z]\*+")
_UNMASKED = ("fuck", "fucking", "shit", "bitch", "cunt", "asshole", "dick", "bastard", "retard")


def gravity(text: str) -> Gravity:
    said = _MASKED.sub(_unmask, text[:COMMAND].lower().replace("’", "'"))
    if any(map(is_slur, words(said))) or any(shape.search(said) for shape in _EXTREME):
        return Gravity.EXTREME
    return Gravity.ABUSE if any(shape.search(said) for shape in _ABUSE) else Gravity.NONE


def _unmask(found: re.Match[str]) -> str:
    """Stars stand for letters: the first word of that shape."""
    shape = re.compile(re.sub(r"[*#@$!]", "[a-z]", found[0]))
    return next((word for word in _UNMASKED if shape.fullmatch(word)), found[0])
