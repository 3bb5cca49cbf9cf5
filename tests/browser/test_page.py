"""The page of a real server in real browsers: asking, citing, approving, refusing, coming back."""

from __future__ import annotations

import asyncio
import re

import pytest
from tests.browser.conftest import Studio
from tests.browser.studio import bookings
from tests.browser.visitor import Visitor, Visitors

pytestmark = pytest.mark.asyncio(loop_scope="module")

QUESTION = "Search for the Harbour Lights project"
RECORD = "project:harbour-lights"


def booking(hour: int, guests: int = 6) -> str:
    """A wish of its own for each test, so that the studio's book tells them apart."""
    return f"Book the harbour room tomorrow at {hour}:00 for {guests} guests"


def booked(studio: Studio, hour: int) -> list[str]:
    return [line for line in bookings(studio.folder) if f"T{hour:02}:00:00" in line]


async def test_an_answer_names_its_records_and_links_to_them(visitors: Visitors) -> None:
    ann = await visitors.come()
    await ann.says(QUESTION)
    assert RECORD in await ann.last.locator("cite").all_inner_texts()
    links = ann.last.locator(".sources a")
    assert "https://brackwater.example/work/harbour-lights" in [
        await link.get_attribute("href") for link in await links.all()
    ]
    assert "done" in await ann.last.locator(".timeline .ok").inner_text()
    assert await ann.page.inner_text("#provider") == "offline"


async def test_a_card_approved_in_one_browser_is_settled_in_the_other(visitors: Visitors, studio: Studio) -> None:
    ann = await visitors.come()
    await ann.says(QUESTION)
    bob = await visitors.come(ann.page.url)
    await bob.sees("Harbour Lights")
    await ann.says(booking(10))
    await bob.card.wait_for()
    for visitor in (ann, bob):
        text = await visitor.card.inner_text()
        assert "Book the harbour room from" in text
        assert "guests: 6" in text
    assert booked(studio, 10) == []
    loads = sum(url.endswith("/page/main.js") for url in ann.asked)
    await bob.card.get_by_role("button", name="Approve").click()
    for visitor in (ann, bob):
        await visitor.sees("booked: harbour room")
        await visitor.card.wait_for(state="detached")
        assert "done" in await visitor.last.locator(".timeline .ok").last.inner_text()
    assert sum(url.endswith("/page/main.js") for url in ann.asked) == loads
    assert len(booked(studio, 10)) == 1


async def test_two_browsers_that_approve_at_once_book_once(visitors: Visitors, studio: Studio) -> None:
    ann = await visitors.come()
    await ann.says(booking(11))
    bob = await visitors.come(ann.page.url)
    await bob.card.wait_for()
    both = [visitor.card.get_by_role("button", name="Approve").click() for visitor in (ann, bob)]
    await asyncio.gather(*both)
    for visitor in (ann, bob):
        await visitor.sees("booked: harbour room")
    assert len(booked(studio, 11)) == 1


async def test_a_decision_that_the_server_did_not_take_can_be_made_again(visitors: Visitors, studio: Studio) -> None:
    ann = await visitors.come()
    await ann.says(booking(17))
    too_fast = "That was a bit fast. Please wait a moment."
    await ann.page.route("**/api/chat", lambda route: route.fulfill(status=429, body=too_fast), times=1)
    await ann.card.get_by_role("button", name="Approve").click()
    await ann.sees(too_fast)
    assert ann.problems.pop().endswith("429 (Too Many Requests)")
    await ann.card.get_by_role("button", name="Approve").click()
    await ann.sees("booked: harbour room")
    assert len(booked(studio, 17)) == 1


async def test_a_card_that_is_rejected_runs_nothing_and_says_so(visitors: Visitors, studio: Studio) -> None:
    ann = await visitors.come()
    await ann.says(booking(12))
    await ann.card.get_by_role("button", name="Reject").click()
    await ann.last.locator(".timeline .rejected").wait_for()
    await ann.answered(1)
    assert "Rejected" in await ann.last.locator(".card.settled").inner_text()
    assert booked(studio, 12) == []


async def test_a_refused_call_is_shown_as_one_that_never_ran(visitors: Visitors, studio: Studio) -> None:
    ann = await visitors.come()
    await ann.says(booking(13, guests=40))
    assert "not run · validation" in await ann.last.locator(".timeline .failed").inner_text()
    assert "guests must be at most 12, got 40" in await ann.last.locator("p.text").last.inner_text()
    assert await ann.card.count() == 0
    assert booked(studio, 13) == []


async def test_the_line_of_a_tool_opens_what_was_asked_and_what_came_back(visitors: Visitors) -> None:
    ann = await visitors.come()
    await ann.says(QUESTION)
    details = ann.last.locator(".timeline pre")
    assert not await details.first.is_visible()
    await ann.last.locator(".timeline summary").click()
    assert "Harbour Lights" in await details.first.inner_text()
    assert RECORD in await details.last.inner_text()


async def test_a_page_that_is_loaded_again_has_the_whole_conversation(visitors: Visitors) -> None:
    ann = await visitors.come()
    await ann.says(QUESTION)
    await ann.says(booking(14))
    await ann.page.reload()
    await ann.card.wait_for()
    text = await ann.conversation()
    for said in (QUESTION, "kb_search", RECORD, booking(14), "Book the harbour room from"):
        assert said in text
    await ann.card.get_by_role("button", name="Approve").click()
    await ann.sees("booked: harbour room")


async def test_a_new_chat_is_empty_and_the_old_one_is_a_step_back(visitors: Visitors) -> None:
    ann = await visitors.come()
    await ann.says(QUESTION)
    before = ann.page.url
    await ann.page.get_by_role("button", name="New chat").click()
    await ann.page.locator("#welcome").wait_for()
    assert ann.page.url != before
    assert await ann.answers.count() == 0
    await ann.page.goto(before)
    await ann.sees(RECORD)


async def test_everything_can_be_done_with_the_keyboard_alone(visitors: Visitors, studio: Studio) -> None:
    ann = await visitors.come()
    await ann.page.locator("#say:focus").wait_for()
    await ann.page.keyboard.type(booking(15))
    await ann.page.keyboard.press("Enter")
    await ann.card.wait_for()
    await ann.answered(1)
    await ann.page.keyboard.press("Enter")  # the card has the focus, and no key but its buttons' approves
    assert booked(studio, 15) == []
    await tab_to(ann, "Approve")
    await ann.page.keyboard.press("Enter")
    await ann.sees("booked: harbour room")
    await ann.page.locator("#say:focus").wait_for()
    assert len(booked(studio, 15)) == 1


async def tab_to(visitor: Visitor, name: str) -> None:
    for _ in range(20):
        await visitor.page.keyboard.press("Tab")
        if await visitor.focused() == name:
            return
    raise AssertionError(f"the keyboard never reached {name}")


async def test_a_card_that_is_taller_than_the_room_left_is_scrolled_to(visitors: Visitors) -> None:
    ann = await visitors.come(viewport={"width": 800, "height": 500})
    await ann.says(QUESTION)
    await ann.says(booking(18))
    assert await is_in_view(ann)
    bob = await visitors.come(ann.page.url, viewport={"width": 800, "height": 500})
    await bob.card.wait_for()
    assert await is_in_view(bob)


async def is_in_view(visitor: Visitor) -> bool:
    button, box = visitor.card.get_by_role("button", name="Approve"), visitor.page.locator("footer")
    place, below = await button.bounding_box(), await box.bounding_box()
    assert place is not None
    assert below is not None
    return place["y"] > 0 and place["y"] + place["height"] <= below["y"]


async def test_a_card_takes_no_key_from_somebody_who_is_writing(visitors: Visitors, studio: Studio) -> None:
    ann = await visitors.come()
    await ann.says("What can you do?")
    bob = await visitors.come(ann.page.url)
    await bob.page.locator("#say").type("Tell me more")
    await ann.says(booking(16))
    await bob.card.wait_for()
    await bob.page.keyboard.type(" about it ")
    assert await bob.page.input_value("#say") == "Tell me more about it "
    assert booked(studio, 16) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_the_page_follows_the_system_and_can_be_told_otherwise(visitors: Visitors, scheme: str) -> None:
    ann = await visitors.come(color_scheme=scheme)
    await ann.says("hello")
    first = await brightness(ann)
    assert first["ground"] > 200 > first["ink"] if scheme == "light" else first["ground"] < 60 < first["ink"]
    await ann.page.click("#theme")
    other = await brightness(ann)
    assert (other["ground"] > other["ink"]) != (first["ground"] > first["ink"])
    await ann.page.reload()
    await ann.answered(1)
    assert await brightness(ann) == other


async def brightness(visitor: Visitor) -> dict[str, float]:
    """Of the ground and of what is written on it, from 0 to 255."""
    found: dict[str, str] = await visitor.page.evaluate(
        "() => { const s = getComputedStyle(document.body); return {ground: s.backgroundColor, ink: s.color}; }"
    )
    return {name: sum(map(int, re.findall(r"\d+", colour)[:3])) / 3 for name, colour in found.items()}


async def test_the_page_may_load_nothing_from_elsewhere_even_if_it_wanted_to(visitors: Visitors) -> None:
    ann = await visitors.come()
    answer = await ann.page.reload()
    assert answer is not None
    policy = (await answer.all_headers())["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    refused = await ann.page.evaluate("() => fetch('https://elsewhere.example/').then(() => '', error => error.name)")
    assert refused == "TypeError"
    assert any("Content Security Policy" in problem for problem in ann.problems)
    ann.problems.clear()
    ann.asked.clear()
