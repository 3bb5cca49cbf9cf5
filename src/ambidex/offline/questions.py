"""Whether a plain question is worth a look into the knowledge base, although no phrase of any tool is near it.

Nobody can tell from a question alone what a base holds: "What is the Moon Room?" is near to no example. A search in
vain costs little and says so, but to search for the weather would be silly: a clear sign of the world at large, or
nearness to what is said outside of work, speaks against it. A name speaks for it.
"""

from __future__ import annotations

import re

from ambidex.offline.words import without_courtesy

_LONGEST = 300
"""Longer messages bring a text with them, and wish for something to be done with it."""
NAMED = 0.65
"""What has a name in it is only left alone when it is as near as this to something outside."""

_COMMAND = re.compile(
    r"\W*(?:search|serch|find|look (?:up|for|in)|tell me about|what do we know about)\b", re.IGNORECASE
)
_QUESTION = re.compile(
    r"(?:^|[.!?:;,]\s)\W*(?:(?:and|so|but|ok(?:ay)?|well|tell me|i(?:'d| would) like to know|do you know)\W+)*"
    r"(?:who|whom|whose|what|whats|when|where|wher|how|which|why|in which|on which|until when|since when|at what"
    r"|(?:do|did|have|are|can|may|must|should) (?:we|any of (?:us|our))|(?:is|are|was|were) (?:there|the|our)"
    r"|may i|am i allowed)\b",
    re.IGNORECASE,
)
_TO_ME = re.compile(r"\W*(?:who|what|whats|how|where|why) (?:are|do|did|would|were) you\b", re.IGNORECASE)
"""About the assistant itself."""
_WORLD = re.compile(
    r"\b(?:weather|temperature outside|capital of|president|prime minister|population of|planets?|galax(?:y|ies)"
    r"|universe|quantum|mount [a-z]+|world (?:cup|war|record)|football|soccer|olympics?|who won|the score|movies?"
    r"|netflix|lyrics|songs?|jokes?|poems?|plot of|recipes?|bake|cook|calories|diet|bitcoin|crypto"
    r"|stock (?:price|market)|exchange rate|lottery|bet on|best [a-z]+ (?:under|below|for)|horoscope|cats?|dogs?"
    r"|girlfriend|boyfriend|meaning of life|homework|guitar|piano|tyres?|tires"
    r"|\d+ (?:times|plus|minus|divided by) \d+|\d+ ?[*/+] ?\d+)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=[a-z,] )(?!I\b)[A-Z][a-zà-ÿ]+")
"""Not the first word of a sentence, which has a capital letter anyway."""


def names_in(text: str) -> list[str]:
    return _NAME.findall(text)


def asks_the_base(text: str, outside: float, farthest: float) -> bool:
    """`outside`: how near it is to what no tool is for; at `farthest` or nearer, it is such a thing."""
    asked = without_courtesy(text)
    if len(text) > _LONGEST or _WORLD.search(asked) or _TO_ME.match(asked):
        return False
    # "May I" is courtesy before a request, and the whole question before anything else; so both readings count.
    command = _COMMAND.match(asked)
    if not command and not _QUESTION.search(asked) and not _QUESTION.search(text):
        return False
    return outside < (NAMED if command or names_in(asked) else farthest)
