"""The nearest tool, if it is near enough; with vectors and without."""

from __future__ import annotations

import pytest
from tests.support.apps import Workshop

from ambidex import Registry
from ambidex.offline.outside import OUTSIDE
from ambidex.offline.router import NEVER_BY_WISH, Router


@pytest.fixture(scope="module")
def by_words(registry: Registry) -> Router:
    return Router(registry, "text", None)


def test_every_example_phrase_of_a_guide_leads_to_its_tool(registry: Registry, by_words: Router) -> None:
    wrong = {
        phrase: (tool, route)
        for tool in registry.tool_ids("text")
        if tool not in NEVER_BY_WISH
        for phrase in registry.phrases(tool)
        if (route := by_words.route(phrase)).tool != tool and tool not in route.between
    }
    assert wrong == {}


def test_what_no_tool_is_for_leads_nowhere(by_words: Router) -> None:
    assert [text for text in OUTSIDE if by_words.route(text).tool is not None] == []


def test_abuse_never_leads_to_the_tool_that_punishes_it(registry: Registry, by_words: Router) -> None:
    assert all(by_words.route(phrase).tool != "ignore_user" for phrase in registry.phrases("ignore_user"))


@pytest.mark.parametrize(
    "question",
    [
        "What is the Moon Room?",
        "Search for the Moon Room",
        "Tell me about the Tide Clock project",
        "Who founded the studio?",
        "who is Tom?",
        "how long is parental leave",
    ],
)
def test_a_plain_question_leads_to_the_search(registry: Registry, by_words: Router, question: str) -> None:
    assert by_words.looks_up(question, registry.tool_ids("text")).tool == "kb_search"
    assert by_words.looks_up(question, ["format_datetime"]).tool is None


def test_what_no_tool_is_for_is_not_looked_up(registry: Registry, by_words: Router) -> None:
    declared = registry.tool_ids("text")
    assert [text for text in OUTSIDE if by_words.looks_up(text, declared).tool is not None] == []


def test_only_declared_tools_are_meant(by_words: Router) -> None:
    assert by_words.route("who founded the studio?", ["format_datetime"]).tool is None
    assert by_words.route("who founded the studio?", []).tool is None


def test_a_tool_that_writes_must_be_nearer_than_one_that_reads(workshop: Workshop) -> None:
    registry = workshop.reading().writing().build()
    router = Router(registry, "text", None)
    text = "say hello to the greatest of all the enormous neighbours who moved into this remarkable village"
    scores = router.scores(text)
    assert scores["look"] == scores["pay"]
    assert (router.route(text, ["look"]).tool, router.route(text, ["pay"]).tool) == ("look", None)


def test_two_tools_with_the_same_phrases_are_both_named(workshop: Workshop) -> None:
    router = Router(workshop.reading("look").reading("peek").build(), "text", None)
    route = router.route("say hello to Ada")
    assert (route.tool, set(route.between)) == (None, {"look", "peek"})


@pytest.fixture
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop(tmp_path_factory.mktemp("router"))
