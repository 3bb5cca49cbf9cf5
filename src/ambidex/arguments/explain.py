"""Everything a failed check says: the validator's errors, settled, ordered and put into one fault."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from ambidex.arguments.branches import forms_of, nearest_form, only_types
from ambidex.arguments.failure import Mistake, failure
from ambidex.arguments.mistakes import explain, wrong_type
from ambidex.arguments.places import Names
from ambidex.arguments.refusal import MAX_ERRORS, refuse
from ambidex.contracts.response import Fault


def explain_all(schema: Any, args: dict[str, Any], errors: Iterable[Any], *, partial: bool = False) -> Fault:
    """The fault for errors of jsonschema_rs, in an order that does not depend on how the call was written.

    Only as many as are told are put into words; the rest is counted. `partial` says that there may be still more.
    """
    waiting = iter(errors)
    told = list(islice(_mistakes(schema, Names(schema), args, waiting), MAX_ERRORS))
    found = {_rank(mistake): mistake for mistake in told}
    ordered = [found[rank] for rank in sorted(found)]
    untold = sum(1 for _ in waiting)
    return refuse([one.sentence for one in ordered], [one.detail for one in ordered], untold=untold, partial=partial)


def _mistakes(schema: Any, names: Names, args: dict[str, Any], errors: Iterable[Any]) -> Iterator[Mistake]:
    for error in errors:
        failed = failure(schema, names, args, error)
        forms = forms_of(error)
        if not forms:
            yield from explain(failed)
        elif types := only_types(forms, failed.path):
            yield wrong_type(failed, types)
        else:
            yield from _mistakes(schema, names, args, nearest_form(forms, failed.path))


def _rank(mistake: Mistake) -> tuple[tuple[tuple[bool, int, str], ...], str, str]:
    """By place, items by number; a mistake that two branches report counts once."""
    place = tuple((isinstance(step, str), step if isinstance(step, int) else 0, str(step)) for step in mistake.path)
    return place, str(mistake.detail["rule"]), mistake.sentence
