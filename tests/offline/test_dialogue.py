"""One step at a time: asking back, remembering, telling results, outcomes and notes."""

from __future__ import annotations

from typing import Any

from tests.offline.stage import Stage, call_of, ended

from ambidex.transports.items import NoteItem, OutcomeItem, ResultItem, UserItem
from ambidex.transports.untrusted import wrap

ADA = {
    "id": "person:ada-okafor",
    "type": "person",
    "title": "Ada Okafor",
    "full_text": "Ada started the studio in March 2011. She likes boats and joinery. Her aunt lent her the money.",
    "url": "https://studio.example/ada",
    "url_verified": True,
    "metadata": {"role": "Founder"},
}
TOM = {
    "id": "person:tom-reyes",
    "type": "person",
    "title": "Tom Reyes",
    "full_text": "Tom runs the print shop.",
    "url": None,
}
FOUND = {"results": [ADA, TOM], "query_time_ms": 1.0, "nothing_relevant": False}


async def test_what_is_missing_is_asked_for_and_remembered(stage: Stage) -> None:
    step = await stage.say("what time is that in Tokyo")
    assert step.calls == ()
    assert "Which date and time" in step.text
    assert call_of(await stage.say("march 20 2026 at noon")) == (
        "format_datetime",
        {"value": "2026-03-20T12:00:00Z", "timezone": "Asia/Tokyo"},
    )


async def test_one_question_at_a_time_and_again_when_the_answer_is_none(stage: Stage) -> None:
    await stage.say("what time is that in Tokyo")
    again = await stage.say("hmm well")
    assert again.calls == ()
    assert "Which date and time" in again.text
    assert call_of(await stage.say("tomorrow 9am"))[1]["value"] == "2026-03-03T09:00:00Z"


async def test_a_question_can_be_dropped(stage: Stage) -> None:
    await stage.say("draft an image prompt")
    assert (await stage.say("never mind")).text == "All right, I'll leave that."
    assert (await stage.say("a boat")).calls == ()


async def test_another_wish_is_no_answer_to_the_question(stage: Stage) -> None:
    await stage.say("draft an image prompt")
    assert call_of(await stage.say("get person:ada-okafor")) == ("kb_get", {"id": "person:ada-okafor"})


async def test_records_are_quoted_and_cited(stage: Stage) -> None:
    name, args = call_of(await stage.say("who founded the studio?"))
    assert (name, args["query"]) == ("kb_search", "who founded the studio")
    told = (await stage.answer(wrap(FOUND))).text
    assert "Based on person:ada-okafor (Ada Okafor, Founder)." in told
    assert "Ada started the studio in March 2011." in told
    assert "https://studio.example/ada" in told
    assert "person:tom-reyes" in told


async def test_nothing_relevant_is_said_and_nothing_is_cited(stage: Stage) -> None:
    await stage.say("search the public records for refrigerators")
    told = (await stage.answer(wrap({**FOUND, "nothing_relevant": True}))).text
    assert "nothing relevant" in told
    assert "person:" not in told


async def test_what_one_part_of_the_base_does_not_hold_is_looked_for_in_the_others(stage: Stage) -> None:
    assert "namespace" not in call_of(await stage.say("Tell me about the Tide Clock project"))[1]
    assert call_of(await stage.answer(wrap(FOUND)))[1]["namespace"] == "personal"
    assert call_of(await stage.answer(error={"type": "AUTH", "message": "not yours"}))[1]["namespace"] == "public"
    clock = {
        "id": "project:tide-clock",
        "type": "project",
        "title": "Tide Clock",
        "full_text": "A clock with one hand.",
    }
    told = (await stage.answer(wrap({**FOUND, "results": [clock]}))).text
    assert "A clock with one hand.\n\nBased on project:tide-clock (Tide Clock)." in told
    assert "Also found: person:ada-okafor (Ada Okafor), person:tom-reyes (Tom Reyes)." in told


async def test_in_voice_nobody_waits_for_a_second_search(voice: Stage) -> None:
    await voice.say("Tell me about the Tide Clock project")
    assert (await voice.answer(wrap(FOUND))).calls == ()


async def test_a_record_can_be_pointed_at(stage: Stage) -> None:
    await stage.say("who founded the studio?")
    await stage.answer(wrap(FOUND))
    assert call_of(await stage.say("open the second result")) == ("kb_get", {"id": "person:tom-reyes"})


async def test_in_voice_no_links_are_read_out_and_no_full_text_is_asked_for(voice: Stage) -> None:
    assert "return_fields" not in call_of(await voice.say("who founded the studio?"))[1]
    snippets = {**FOUND, "results": [{**ADA, "full_text": "", "snippet": ADA["full_text"]}]}
    told = (await voice.answer(wrap(snippets))).text
    assert "Ada started the studio" in told
    assert "https://" not in told


async def test_a_call_that_waits_is_told_with_what_the_card_shows(stage: Stage) -> None:
    await stage.say("get person:ada-okafor")
    request = {"id": "r1", "tool": "send", "args": {}, "preview": 'Send "hello"', "expires": "2026-03-02T09:05:00Z"}
    error = {"type": "CONFIRMATION_REQUIRED", "message": "approval is needed", "confirmation_request": request}
    told = (await stage.answer(error=error)).text
    assert 'Send "hello"' in told
    assert "approval" in told


async def test_that_a_call_waits_is_not_said_any_more_once_it_was_decided(stage: Stage) -> None:
    call = (await stage.say("get person:ada-okafor")).calls[0]
    waits = {"ok": False, "error": {"type": "CONFIRMATION_REQUIRED", "message": "approval is needed"}}
    told = await stage.step(
        ResultItem(call_id=call.id, name=call.name, ok=False, body=waits),
        OutcomeItem(call_id=call.id, name=call.name, ok=True, body={"ok": True, "data": {"records": [ADA]}}),
    )
    assert "Approved and done: kb_get." in ended(told).item.text
    assert "waits for your approval" not in ended(told).item.text


async def test_outcomes_are_told_as_what_they_are(stage: Stage) -> None:
    await stage.say("hello")
    assert "Approved and done: send" in (await stage.outcome("send", {"sent": True})).text
    rejected: dict[str, Any] = {"type": "CONFIRMATION_REJECTED", "message": "no"}
    assert "was not carried out" in (await stage.outcome("send", error=rejected)).text
    expired = {"type": "CONFIRMATION_EXPIRED", "message": "late"}
    assert "expired" in (await stage.outcome("send", error=expired)).text
    unknown = {"type": "OUTCOME_UNKNOWN", "message": "it may have been sent"}
    assert "don't know whether send took effect" in (await stage.outcome("send", error=unknown)).text


async def test_an_outcome_is_told_before_the_answer_to_what_was_said_next(stage: Stage) -> None:
    await stage.say("hello")
    await stage.step(NoteItem(text="The earlier write ended: it was done."), UserItem(text="thanks"))
    assert stage.last.text == "The earlier write ended: it was done.\n\nYou're welcome."


async def test_a_failed_call_is_told_with_what_to_do(stage: Stage) -> None:
    await stage.say("get person:ada")
    error = {"type": "NOT_FOUND", "message": "there is no such record", "suggestion": "Near ids: person:ada-okafor"}
    told = (await stage.answer(error=error)).text
    assert told.endswith("That did not work: there is no such record. Near ids: person:ada-okafor.")


async def test_an_answer_that_came_late_is_left_behind_once_the_user_went_on(stage: Stage) -> None:
    first = await stage.say("get person:ada-okafor")
    events = await stage.step(UserItem(text="tell me a joke"))
    assert first.calls
    assert ended(events).calls == ()


async def test_two_tools_that_are_as_near_are_asked_about(stage: Stage) -> None:
    question = {"offline": "chooses", "between": ["kb_search", "reg_describe"], "text": "explain kb_search"}
    step = await stage.say("hello")
    stage.items[-1] = type(step)(provider="offline", model="offline", text="Which?", parts=(question,))
    assert call_of(await stage.say("the second one")) == ("reg_describe", {"toolId": "kb_search"})


async def test_in_text_a_goodbye_is_returned(stage: Stage) -> None:
    assert (await stage.say("ok bye")).text.endswith("Goodbye.")


async def test_in_voice_a_goodbye_ends_the_session(voice: Stage) -> None:
    assert call_of(await voice.say("ok bye")) == ("end_voice_session", {})
