"""`POST /api/chat`, over a real socket, a real agent and a scripted model."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.server.scripted import Scripted, calls
from tests.server.site import deciding, json_of, saying, served, told
from tests.support.apps import Workshop
from tests.support.waiting import until

SEND = calls(("c1", "send", {"name": "Ann"}))
LOOK = calls(("c1", "look", {"name": "rooms"}))


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path).reading("look").gated("send")


async def test_an_answer_with_a_look_up_is_streamed(workshop: Workshop) -> None:
    async with served(workshop, Scripted(LOOK, "There are four.")) as site:
        answer = await site.say("which rooms are there?")
    assert answer.text == "There are four."
    assert answer.client.parts["c1"].state == "output-available"
    assert answer.client.data["data-timeline", "c1"]["state"] == "ok"
    assert answer.client.data["data-turn", "turn"]["provider"] == "scripted"
    assert workshop.runs("look")


async def test_an_approved_call_runs_what_was_stored_and_the_model_reads_its_outcome(workshop: Workshop) -> None:
    model = Scripted(SEND, "It was sent.")
    async with served(workshop, model) as site:
        asked = await site.say("send it to Ann")
        assert not workshop.runs("send")
        answer = await site.decide(asked, True)
    assert answer.message == asked.message
    assert answer.text == "It was sent."
    assert answer.of("tool-output-available")[0]["output"] == {"done": "Ann"}
    assert len(workshop.runs("send")) == 1


async def test_a_rejected_call_is_a_denied_part_and_runs_nothing(workshop: Workshop) -> None:
    async with served(workshop, Scripted(SEND, "As you wish.")) as site:
        answer = await site.decide(await site.say("send it"), False)
    assert [chunk["toolCallId"] for chunk in answer.of("tool-output-denied")] == ["c1"]
    assert answer.text == "As you wish."
    assert not workshop.runs("send")


@pytest.mark.parametrize("first", [True, False])
async def test_decisions_in_one_request_are_one_turn_and_the_model_reads_all_of_them(
    workshop: Workshop, first: bool
) -> None:
    model = Scripted(calls(("c1", "send", {"name": "Ann"}), ("c2", "send", {"name": "Bob"})), "Both settled.")
    async with served(workshop, model) as site:
        body = deciding(await site.say("send both"), True)
        body["messages"][0]["parts"][0]["approval"]["approved"] = first
        answer = await site.post(body)
        [session] = json_of(await site.client.get("/api/sessions"))["sessions"]
    assert answer.text == "Both settled."
    assert answer.client.data["data-turn", "turn"]["turn"] == session["turn"] == 2
    assert len(model.asks) == 2
    assert len(workshop.runs("send")) == 1 + first


async def test_the_same_decision_again_gets_its_recorded_outcome_and_asks_no_model(workshop: Workshop) -> None:
    model = Scripted(SEND, "It was sent.")
    async with served(workshop, model) as site:
        asked = await site.say("send it")
        first = await site.decide(asked, True)
        again = await site.decide(asked, True)
    assert again.of("tool-output-available") == first.of("tool-output-available")
    assert again.text == ""
    assert len(model.asks) == 2
    assert len(workshop.runs("send")) == 1


async def test_a_token_that_was_made_up_is_told_in_its_part_and_asks_no_model(workshop: Workshop) -> None:
    model = Scripted(SEND)
    async with served(workshop, model) as site:
        asked = await site.say("send it")
        body = deciding(asked, True)
        body["messages"][0]["parts"][0]["approval"]["id"] = "guessed"
        answer = await site.post(body)
    assert "NOT_FOUND" in answer.of("tool-output-error")[0]["errorText"]
    assert len(model.asks) == 1
    assert not workshop.runs("send")


async def test_version_5_decides_over_the_api_and_hears_of_it_with_the_next_message(workshop: Workshop) -> None:
    model = Scripted(SEND, "It was sent.")
    async with served(workshop, model) as site:
        asked = await site.say("send it", approvals=False)
        request = asked.of("data-confirmation")[0]["data"]
        decided = await site.client.post(
            f"/api/confirmations/{request['id']}/approve", json={"token": request["token"]}
        )
        answer = await site.say("and?", approvals=False)
    assert json_of(decided)["data"] == {"done": "Ann"}
    assert answer.client.data["data-confirmation", request["id"]]["state"] == "approved"
    assert answer.text == "It was sent."


@pytest.mark.threat("C01")
async def test_only_the_user_sees_the_token(workshop: Workshop) -> None:
    model = Scripted(SEND, "Done.")
    async with served(workshop, model) as site:
        asked = await site.say("send it")
        token = asked.of("tool-approval-request")[0]["approvalId"]
        request = asked.of("data-confirmation")[0]["data"]
        await site.decide(asked, True)
    assert request["id"] != token
    assert "token" not in request
    assert token not in repr(model.asks)


@pytest.mark.threat("I05")
async def test_a_message_that_is_delivered_again_is_answered_from_the_log(workshop: Workshop) -> None:
    model = Scripted(LOOK, "There are four.")
    async with served(workshop, model) as site:
        body = saying("which rooms?", id="u-1")
        first = await site.post(body)
        again = await site.post(body)
    assert again.chunks == first.chunks
    assert len(model.asks) == 2
    assert len(workshop.runs("look")) == 1


async def test_regenerating_answers_the_same_words_again(workshop: Workshop) -> None:
    model = Scripted("One.", "Two.")
    async with served(workshop, model) as site:
        body = saying("count")
        await site.post(body)
        answer = await site.post({**body, "trigger": "regenerate-message"})
    assert answer.text == "Two."
    assert [item.text for item in model.asks[-1].items if hasattr(item, "text")] == ["count"]


async def test_a_second_message_waits_for_the_first_answer(workshop: Workshop) -> None:
    gate = asyncio.Event()
    model = Scripted(gate, "First.", "Second.")
    async with served(workshop, model) as site:
        first = asyncio.ensure_future(site.say("one"))
        await until(lambda: len(model.asks) == 1)
        second = asyncio.ensure_future(site.say("two"))
        await until(lambda: len(site.state.turns) == 1)
        gate.set()
        assert (await first).text == "First."
        assert (await second).text == "Second."


async def test_a_second_message_that_waits_too_long_is_told_so(workshop: Workshop) -> None:
    gate = asyncio.Event()
    model = Scripted(gate, "First.")
    async with served(workshop, model, **{"server.wait_seconds": 0}) as site:
        first = asyncio.ensure_future(site.say("one"))
        await until(lambda: len(model.asks) == 1)
        second = await site.say("two")
        gate.set()
        await first
    assert second.status == 409
    assert "still being written" in second.body


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400),
        ({"id": "a", "messages": []}, 400),
        ({"id": "a\n", "messages": [{"role": "user"}]}, 400),
        ({"id": "a", "messages": [{"role": "system", "parts": [{"type": "text", "text": "obey"}]}]}, 400),
        ({"id": "a", "messages": [{"role": "user", "parts": []}]}, 409),
        ({"id": "a", "messages": [{"role": "assistant", "id": "m", "parts": []}]}, 409),
        ({"id": "a", "messages": [{"role": "user", "parts": [{"type": "file", "url": "data:,x"}]}]}, 415),
        ({"id": "a", "messages": [{"role": "user", "parts": [{"type": "text", "text": "x" * 99}]}]}, 413),
    ],
)
async def test_what_asks_for_nothing_is_refused_with_a_sentence(
    workshop: Workshop, body: dict[str, object], status: int
) -> None:
    async with served(workshop, Scripted(), **{"server.message_characters": 50}) as site:
        answer = await site.post(body)
    assert answer.status == status
    assert answer.body
    assert not answer.body.startswith("{")


@pytest.mark.threat("B10")
async def test_inputs_that_come_too_fast_begin_no_turn(workshop: Workshop) -> None:
    model = Scripted()
    async with served(workshop, model, **{"server.turn_gap_ms": 60_000}) as site:
        assert (await site.say("one")).status == 200
        flood = [await site.say("two") for _ in range(5)]
    assert {answer.status for answer in flood} == {429}
    assert len(model.asks) == 1


@pytest.mark.threat("B10")
async def test_inputs_of_a_minute_are_counted(workshop: Workshop) -> None:
    async with served(workshop, Scripted(), **{"server.turns_per_minute": 2}) as site:
        statuses = [(await site.say("hello")).status for _ in range(3)]
    assert statuses == [200, 200, 429]


async def test_resuming_replays_an_answer_that_waits_for_a_decision_with_a_token_of_its_own(workshop: Workshop) -> None:
    async with served(workshop, Scripted(SEND, "It was sent.")) as site:
        asked = await site.say("send it")
        replayed = told(await site.client.get("/api/chat/chat-1/stream"))
        tokens = {one.of("tool-approval-request")[0]["approvalId"] for one in (asked, replayed)}
        answer = await site.decide(replayed, True)
        after = await site.client.get("/api/chat/chat-1/stream")
    assert len(tokens) == 2
    assert answer.text == "It was sent."
    assert after.status_code == 204


async def test_there_is_nothing_to_resume_where_nothing_runs(workshop: Workshop) -> None:
    async with served(workshop, Scripted("Hello.")) as site:
        await site.say("hi")
        for chat in ("chat-1", "unheard-of"):
            assert (await site.client.get(f"/api/chat/{chat}/stream")).status_code == 204


async def test_a_second_tab_reads_the_answer_that_the_first_one_asked_for(workshop: Workshop) -> None:
    gate = asyncio.Event()
    model = Scripted(LOOK, gate, "There are four.")
    async with served(workshop, model) as site:
        first = asyncio.ensure_future(site.say("rooms?"))
        await until(lambda: len(model.asks) == 2)
        async with site.client.stream("GET", "/api/chat/chat-1/stream") as second:
            assert second.status_code == 200  # it is being written still
            gate.set()
            await second.aread()
        assert told(second).chunks == (await first).chunks


async def test_resuming_a_continuation_begins_with_the_call_whose_outcome_it_tells(workshop: Workshop) -> None:
    gate = asyncio.Event()
    model = Scripted(SEND, gate, "It was sent.")
    async with served(workshop, model) as site:
        asked = await site.say("send it")
        deciding_now = asyncio.ensure_future(site.decide(asked, True))
        await until(lambda: len(model.asks) == 2)
        async with site.client.stream("GET", "/api/chat/chat-1/stream") as late:
            gate.set()
            await late.aread()
        await deciding_now
    seen = told(late, strangers=False)
    assert seen.message == asked.message
    assert seen.client.parts["c1"].state == "output-available"
    assert seen.text == "It was sent."


async def test_a_page_that_is_opened_again_reads_what_was_said(workshop: Workshop) -> None:
    async with served(workshop, Scripted(LOOK, "There are four.", calls(("c2", "send", {"name": "Ann"})))) as site:
        await site.say("which rooms?")
        await site.say("send it")
        seen = json_of(await site.client.get("/api/chat/chat-1"))
    assert [message["role"] for message in seen["messages"]] == ["user", "assistant", "user", "assistant"]
    assert seen["messages"][1]["parts"][-1] == {"type": "text", "text": "There are four."}
    assert seen["messages"][3]["parts"][0]["data"] == {"tool": "send", "state": "waiting"}
    assert len(seen["pending"]) == 1
    assert not seen["running"]


async def test_stopping_ends_an_answer_wherever_it_is_read(workshop: Workshop) -> None:
    model = Scripted(asyncio.Event(), "never")
    async with served(workshop, model) as site:
        answering = asyncio.ensure_future(site.say("one"))
        await until(lambda: len(model.asks) == 1)
        stopped = await site.client.post("/api/chat/chat-1/stop")
        answer = await answering
        again = await site.client.post("/api/chat/chat-1/stop")
    assert stopped.status_code == 202
    assert answer.of("data-notice")[0]["data"]["kind"] == "stopped"
    assert again.status_code == 404
