"""The loop an agent follows, told at the end of every prompt: get more context, then act."""

from __future__ import annotations

from ambidex.contracts.call import Mode

_BOTH = """\
# The Loop

1. Context is missing: search for it, with filters.
2. The ids are known: get the best one or two records with kb_get.
3. Answer from the fields of the records and cite their ids.
4. An action is needed: retrieve first, then talk about it.
5. Commit only when the user has confirmed it or policy allows it.

Never guess what can be retrieved."""

_VOICE = """\
In voice: one or two retrievals a turn, with top_k 3. Use kb_get when the ids are known. No chains of searches."""

_TEXT = """\
In text: three to five retrievals a turn are fine. Build context in stages. Show the URLs that records hold."""

LOOP: dict[Mode, str] = {Mode.VOICE: f"{_BOTH}\n\n{_VOICE}", Mode.TEXT: f"{_BOTH}\n\n{_TEXT}"}
"""By mode; both share the five steps and differ in how many retrievals they allow themselves."""
