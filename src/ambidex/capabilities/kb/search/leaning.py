"""A window's vector leans towards its record's heading: what the part says, within what the whole is about.

The product with a question is then 0.8 · its cosine with the window + 0.2 · its cosine with the heading, since products
add up. A record needs no vector more for it, and a search no step more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ambidex.capabilities.kb.embedders.base import Row

HEADING = 0.2
"""The heading's share. Chosen with the weights of the fusion, on the same questions; see there."""


def leaning(window: Row, heading: Row) -> Row:
    """Not of length one: a window that its heading does not describe stays a little farther from every question."""
    row: Row = (1 - HEADING) * window + HEADING * heading
    return row
