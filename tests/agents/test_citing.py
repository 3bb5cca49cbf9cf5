"""Which records an answer names."""

from __future__ import annotations

from ambidex.agents.citing import cited_in, records_in
from ambidex.agents.events import Cited


def test_records_are_whatever_has_an_id_and_a_title() -> None:
    data = {
        "results": [{"id": "person:ada", "title": "Ada", "url": "https://x.example"}, {"id": "doc:1", "title": "One"}],
        "nested": {"event": {"id": "e-77", "title": "Standup", "url": 3}},
        "not": [{"id": "no-title"}, {"title": "no id"}, {"id": 5, "title": "number"}, {"id": "x", "title": "short"}],
    }
    assert list(records_in(data)) == [
        Cited("person:ada", "Ada", "https://x.example"),
        Cited("doc:1", "One", None),
        Cited("e-77", "Standup", None),
    ]


def test_only_records_named_in_the_text_are_cited_in_the_order_of_their_mention() -> None:
    records = {id: Cited(id, id, None) for id in ("doc:1", "doc:12", "person:ada", "person:ada-king")}
    text = "See person:ada-king (and doc:12), not mydoc:1 or doc:1x."
    assert [cited.id for cited in cited_in(text, records)] == ["person:ada-king", "doc:12"]
    assert cited_in("Based on doc:1.", records) == [records["doc:1"]]
