"""Blocks: until = max(old, now + duration), never more than a day ahead, each incident once, each tenant apart."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ambidex.capabilities.blocks import LONGEST, Block, Blocks, CallBlocks, MemoryBlocks
from ambidex.contracts.faults import ErrorType
from ambidex.errors import ToolError

START = datetime(2026, 3, 2, 9, tzinfo=UTC)


@dataclass(frozen=True)
class Person:
    id: str = "u1"
    tenant: str = "default"


class Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.floats(1, 200_000), st.sampled_from("abcdef")),
        st.tuples(st.just("wait"), st.floats(0, 50_000), st.just("")),
        st.tuples(st.just("jump back"), st.floats(0, 7_200), st.just("")),
        st.tuples(st.just("lift"), st.just(0.0), st.just("")),
    ),
    max_size=25,
)


@pytest.mark.threat("S08")
@given(steps=STEPS)
@settings(max_examples=200)
async def test_no_sequence_of_blocks_reaches_further_than_a_day_or_shortens_one(
    steps: list[tuple[str, float, str]],
) -> None:
    clock = Clock()
    blocks = MemoryBlocks(clock)
    answered: dict[str, datetime] = {}
    for step, amount, incident in steps:
        before = await blocks.until(Person())
        match step:
            case "add":
                until = await blocks.add(Person(), amount, incident=incident)
                if incident in answered and answered[incident] + LONGEST > clock.now:
                    assert until == answered[incident]
                    assert await blocks.until(Person()) == before
                else:
                    asked = clock.now + timedelta(seconds=amount)
                    assert until == min(max(before or asked, asked), clock.now + LONGEST)
                    assert await blocks.until(Person()) == until
                answered[incident] = until
            case "lift":
                assert await blocks.lift(Person()) is (before is not None)
                assert await blocks.until(Person()) is None
            case _:
                clock.advance(amount if step == "wait" else -amount)
        standing = await blocks.until(Person())
        if step != "jump back":
            # A clock that was set back cannot shorten what stands; the next block brings it within a day again.
            assert standing is None or standing > clock.now


@pytest.mark.threat("S08")
async def test_a_shorter_block_does_not_shorten_a_longer_one() -> None:
    blocks = MemoryBlocks(Clock())
    await blocks.add(Person(), 600, incident="a")
    assert await blocks.add(Person(), 60, incident="b") == START + timedelta(seconds=600)


async def test_a_duplicate_after_a_lift_does_not_block_again() -> None:
    blocks = MemoryBlocks(Clock())
    await blocks.add(Person(), 600, incident="a")
    await blocks.lift(Person())
    await blocks.add(Person(), 600, incident="a")
    assert await blocks.until(Person()) is None


async def test_a_block_ends_by_itself() -> None:
    clock = Clock()
    blocks = MemoryBlocks(clock)
    await blocks.add(Person(), 60, incident="a")
    clock.advance(59.999)
    assert await blocks.until(Person()) is not None
    clock.advance(0.001)
    assert await blocks.until(Person()) is None
    assert await blocks.list() == []


async def test_tenants_do_not_share_users() -> None:
    blocks = MemoryBlocks(Clock())
    until = await blocks.add(Person(tenant="north"), 60, incident="a")
    assert await blocks.until(Person(tenant="south")) is None
    assert await blocks.add(Person(tenant="south"), 90, incident="a") == START + timedelta(seconds=90)
    assert await blocks.list("north") == [Block("north", "u1", until)]
    assert await blocks.list() == []


async def test_the_list_has_the_earliest_end_first() -> None:
    blocks = MemoryBlocks(Clock())
    for user, seconds in (("late", 300), ("early", 30), ("middle", 90)):
        await blocks.add(Person(user), seconds, incident=user)
    assert [block.user for block in await blocks.list()] == ["early", "middle", "late"]


@pytest.mark.parametrize("duration", [0, -1, float("nan")])
async def test_a_block_of_no_length_is_a_mistake_of_the_caller(duration: float) -> None:
    with pytest.raises(ValueError, match="longer than nothing"):
        await MemoryBlocks(Clock()).add(Person(), duration, incident="a")


async def test_an_endless_block_lasts_a_day() -> None:
    assert await MemoryBlocks(Clock()).add(Person(), float("inf"), incident="a") == START + LONGEST


async def test_a_handler_blocks_its_own_user_for_its_own_call() -> None:
    store: Blocks = MemoryBlocks(Clock())
    blocks = CallBlocks(store, Person("u7"), "call-1")
    assert await blocks.add(60) == await blocks.add(60) == await store.until(Person("u7"))


async def test_after_text_from_outside_a_long_block_is_unavailable_and_nothing_is_stored() -> None:
    store = MemoryBlocks(Clock())
    blocks = CallBlocks(store, Person(), "call-1", ceiling_seconds=60)
    with pytest.raises(ToolError) as refused:
        await blocks.add(60.5)
    assert refused.value.response.error is not None
    assert refused.value.response.error.type is ErrorType.UNAVAILABLE
    assert await store.until(Person()) is None
    assert await blocks.add(60) == START + timedelta(seconds=60)
