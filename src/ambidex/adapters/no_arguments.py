"""Tools without arguments: Gemini wants their parameters left out, and refuses an object that has no properties."""

from __future__ import annotations

from ambidex.adapters.constraints import CONSTRAINTS, report, report_whole
from ambidex.adapters.conversion import Losses
from ambidex.adapters.merge import Merged


def takes_no_arguments(root: Merged, losses: Losses) -> bool:
    """Nothing is declared and nothing lets undeclared ones in. Then all that the root still demands is lost."""
    opened = root.value("additionalProperties") not in (None, False) or "patternProperties" in root.keywords
    if root.properties or root.choice is not None or opened:
        return False
    report(root, CONSTRAINTS["object"] | {"enum"}, losses)
    report_whole(root, losses)
    for name, pointer in root.required.items():
        losses.add(pointer, f"requires {name}, which is not declared")
    return True
