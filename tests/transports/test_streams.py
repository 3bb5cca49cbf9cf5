"""The same step from every service: whole, cut at every byte, malformed, and mutated."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.soak import soak
from tests.transports.frames import SERVICES, Service, as_bytes, outcome_of, read, sending, step_of

from ambidex.arguments.parse import Parsed, parse
from ambidex.transports.base import CallDelta, CallStarted, Finish, ProviderFault, StepEnded, TextDelta

CALLS = [("c1", "look", '{"name": "é", "n": 1}'), ("c2", "look", "{}"), ("c3", "no_such_tool", '{"x": [1, 2]}')]
each_service = pytest.mark.parametrize("service", SERVICES.values(), ids=SERVICES)


@each_service
async def test_words_and_calls_come_as_they_are_written_and_once_more_at_the_end(service: Service) -> None:
    stream = service.stream("Let me see.", CALLS, service.finishes["calls"])
    async with sending(service, as_bytes(stream)) as provider:
        shown, ended = await step_of(provider)
        again, _ = await step_of(provider)
    assert "".join(event.text for event in shown if isinstance(event, TextDelta)) == ended.item.text == "Let me see."
    assert [event.id for event in shown if isinstance(event, CallStarted)] == ["c1", "c2", "c3"]
    assert len(again) == len(shown)
    assert ended.finish is Finish.CALLS
    for (id, name, args), call, asked in zip(CALLS, ended.calls, ended.item.calls, strict=True):
        written = "".join(event.text for event in shown if isinstance(event, CallDelta) and event.id == id) or "{}"
        assert (call.id, call.name, asked.id, asked.name) == (id, name, id, name)
        assert json.loads(str(call.args)) == json.loads(asked.args) == json.loads(written) == json.loads(args)
    assert ended.usage == {"input": 3, "output": 4}


@each_service
@pytest.mark.parametrize(("ours", "finish"), [("stop", Finish.STOP), ("filtered", Finish.FILTERED)])
def test_a_step_of_words_alone_ends_as_the_service_says(service: Service, ours: str, finish: Finish) -> None:
    ended = read(service.reading(), service.stream("Hello.", [], service.finishes[ours]))
    assert (ended.finish, ended.item.text, ended.calls) == (finish, "Hello.", ())


@pytest.mark.threat("T07")
@each_service
def test_arguments_cut_at_any_byte_by_the_length_limit_never_run(service: Service) -> None:
    whole = CALLS[0][2]
    texts = [whole] if service.whole_calls else [whole[:end] for end in range(len(whole) + 1)]
    for args in texts:
        events = service.stream(
            "", [("c0", "look", '{"name": "whole"}'), ("c1", "look", args)], service.finishes["length"]
        )
        ended = read(service.reading(), events)
        assert ended.finish is Finish.LENGTH
        assert [call.id for call in ended.calls] == ["c0", "c1"], "each is there, to be answered"
        assert not any(isinstance(parse(call.args), Parsed) for call in ended.calls)


@pytest.mark.threat("T07")
@pytest.mark.parametrize("service", [one for one in SERVICES.values() if not one.whole_calls])
def test_arguments_that_are_no_object_spoil_their_own_call_and_no_other(service: Service) -> None:
    for bad in ('{"name": ', "[1]", "null", '{"a":1}{"b":2}', "nonsense"):
        events = service.stream("", [("c1", "look", bad), ("c2", "look", '{"name": "x"}')], service.finishes["calls"])
        ended = read(service.reading(), events)
        assert ended.finish is Finish.CALLS
        assert [isinstance(parse(call.args), Parsed) for call in ended.calls] == [False, True]


@pytest.mark.threat("T07")
@each_service
async def test_a_connection_that_is_gone_at_any_byte_leaves_no_step(service: Service) -> None:
    stream = as_bytes(service.stream("Hm.", CALLS[:1], service.finishes["calls"]))
    ends = soak(range(0, len(stream), 97), range(len(stream)))
    for end in ends:
        async with sending(service, stream[:end], hang_up=True) as provider:
            ended = await outcome_of(provider)
        if isinstance(ended, ProviderFault):
            assert (ended.kind, ended.retryable) == ("network", True)
        else:  # all that counts had come
            assert ended.finish is Finish.CALLS
            assert json.loads(str(ended.calls[0].args)) == json.loads(CALLS[0][2])


@each_service
async def test_a_stream_that_just_stops_is_no_step_either(service: Service) -> None:
    stream = service.stream("Hm.", CALLS[:1], service.finishes["calls"])
    async with sending(service, as_bytes(stream[:2] if service.whole_calls is False else stream[:1])) as provider:
        with pytest.raises(ProviderFault) as caught:
            await step_of(provider)
    assert caught.value.kind == "network"


@pytest.mark.threat("T06")
@each_service
@pytest.mark.parametrize("data", ["", "not JSON", "[1]", "NaN", '"text"', '{"a": "\\ud800"}', "[" * 2000])
async def test_an_event_that_is_no_object_breaks_the_step_since_it_may_have_been_part_of_a_call(
    service: Service, data: str
) -> None:
    stream = service.stream("Hm.", CALLS, service.finishes["calls"])
    stream.insert(1, data)
    async with sending(service, as_bytes(stream)) as provider:
        with pytest.raises(ProviderFault) as caught:
            await step_of(provider)
    assert caught.value.kind == "protocol"


@pytest.mark.threat("T06")
@each_service
def test_unknown_events_and_members_are_ignored(service: Service) -> None:
    stream = [
        {**event, "something_new": {"deep": [1]}} if isinstance(event, dict) else event
        for event in service.stream("Hello.", CALLS, service.finishes["calls"])
    ]
    stream.insert(2, {"type": "brand.new.event", "payload": [1, 2]})
    plain = read(service.reading(), service.stream("Hello.", CALLS, service.finishes["calls"]))
    assert read(service.reading(), stream).calls == plain.calls


@pytest.mark.threat("T06")
@each_service
@settings(max_examples=soak(60, 5000), deadline=None)
@given(seed=st.integers(0, 2**32), changes=st.integers(1, 4))
def test_a_mutated_stream_gives_a_step_or_a_provider_fault_and_nothing_else(
    service: Service, seed: int, changes: int
) -> None:
    chance = random.Random(seed)
    stream = copy.deepcopy(service.stream("Hello.", CALLS, chance.choice(list(service.finishes.values()))))
    for _ in range(changes):
        _mutate(stream, chance)
    try:
        ended = read(service.reading(), stream)
    except ProviderFault:
        return
    assert len(ended.calls) == len(ended.item.calls)
    assert len({call.id for call in ended.calls}) == len(ended.calls), "every call can be answered by its id"
    assert all(isinstance(call.name, str) and isinstance(call.args, str) for call in ended.calls)
    orjson.dumps(ended.item.parts)


_RUBBISH: list[Any] = [None, True, -1, 2**70, 1.5, "", "x", "é", [], {}, [[]], {"type": "error"}, {"error": 1}, [None]]


def _mutate(stream: list[Any], chance: random.Random) -> None:
    """Drop, repeat or move an event, or put rubbish somewhere inside of one."""
    if not stream:
        return
    place = chance.randrange(len(stream))
    match chance.randrange(5):
        case 0:
            del stream[place]
        case 1:
            stream.insert(place, copy.deepcopy(stream[place]))
        case 2:
            stream.append(stream.pop(place))
        case _:
            _spoil(stream[place], chance)


def _spoil(node: Any, chance: random.Random) -> None:
    while isinstance(node, (dict, list)) and node:
        name = chance.choice(list(node)) if isinstance(node, dict) else chance.randrange(len(node))
        below = node[name]
        if chance.random() < 0.4 or not isinstance(below, (dict, list)) or not below:
            if chance.random() < 0.3 and isinstance(node, dict):
                del node[name]
            else:
                node[name] = copy.deepcopy(chance.choice(_RUBBISH))
            return
        node = below


@pytest.mark.threat("T06")
@each_service
@settings(max_examples=soak(15, 500), deadline=None)
@given(noise=st.binary(max_size=60), place=st.floats(0, 1))
async def test_noise_on_a_real_connection_gives_a_step_or_a_provider_fault(
    service: Service, noise: bytes, place: float
) -> None:
    stream = as_bytes(service.stream("Hello.", CALLS, service.finishes["calls"]))
    at = int(place * len(stream))
    async with sending(service, stream[:at] + noise + stream[at:]) as provider:
        assert isinstance(await outcome_of(provider), StepEnded | ProviderFault)


@pytest.mark.threat("T02", "L01")
@each_service
async def test_a_refused_request_tells_neither_key_nor_body(service: Service) -> None:
    body = json.dumps({"error": {"message": "bad key secret-key", "type": "authentication_error"}}).encode()
    async with sending(service, body, status=401) as provider:
        with pytest.raises(ProviderFault) as caught:
            await step_of(provider)
    assert (caught.value.kind, caught.value.status) == ("auth", 401)
    assert "secret-key" not in f"{caught.value!r} {caught.value} {provider!r} {provider._account!r}"


@each_service
async def test_a_server_that_is_not_there_is_a_network_fault(service: Service) -> None:
    async with sending(service, b"") as provider:
        gone = provider
    with pytest.raises(ProviderFault) as caught:
        await step_of(gone)
    assert caught.value.kind == "network"
    await gone.close()
