"""Tokens: random, kept as hashes, good for one request of one user in one conversation."""

from __future__ import annotations

import base64
import hmac
import secrets
from pathlib import Path
from typing import Any

import pytest
from tests.support.apps import ANN, BOB, Workshop, error_of, one, running, talking
from tests.support.trail import audited, request_rows

from ambidex import Orchestrator, User
from ambidex.ledger.sessions import digest
from ambidex.session.session import Session
from ambidex.testing import FakeClock

WINDOW_SECONDS = 300.0


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path).gated()


async def token_of(session: Session) -> str:
    [request] = await session.confirmations()
    return request.token


def bytes_below(folder: Path, pattern: str) -> bytes:
    return b"".join(path.read_bytes() for path in folder.glob(pattern))


async def asking(app: Orchestrator, user: User = ANN, conversation: str | None = None) -> Session:
    """A session in which a call waits for its user."""
    session = await app.open(mode="text", user=user, conversation=conversation)
    await session.begin_turn("please")
    assert error_of(await one(session, "send", id="c1")) == "CONFIRMATION_REQUIRED"
    return session


@pytest.mark.threat("C03")
async def test_a_token_is_256_bits_of_the_systems_generator(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked_for: list[int | None] = []
    real = secrets.token_urlsafe

    def watched(size: int | None = None) -> str:
        asked_for.append(size)
        return real(size)

    async with talking(workshop.build()) as (_, session, _):
        await one(session, "send")
        monkeypatch.setattr(secrets, "token_urlsafe", watched)
        tokens = [await token_of(session) for _ in range(100)]
    assert asked_for == [32] * 100
    raw = b"".join(base64.urlsafe_b64decode(token + "=") for token in tokens)
    assert len(raw) == 3200
    assert len(set(tokens)) == 100
    # Ones among 25,600 fair bits: five standard deviations either way.
    assert abs(sum(byte.bit_count() for byte in raw) - 12_800) < 400


@pytest.mark.threat("C03")
async def test_the_store_holds_a_tokens_hash_and_nothing_else_of_it(workshop: Workshop, tmp_path: Path) -> None:
    file = tmp_path / "store.db"
    async with talking(workshop.build(), store=f"sqlite:{file}") as (_, session, _):
        await one(session, "send")
        token = await token_of(session)
        await session.approve(token)
    kept = bytes_below(tmp_path, "store.db*")
    assert digest(token).encode() in kept
    assert token.encode() not in kept
    assert base64.urlsafe_b64decode(token + "=") not in kept


@pytest.mark.threat("C03")
async def test_hashes_are_compared_in_constant_time(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[str, str]] = []
    real = hmac.compare_digest

    def watched(given: str, kept: str) -> bool:
        compared.append((given, kept))
        return real(given, kept)

    async with talking(workshop.build()) as (_, session, _):
        await one(session, "send")
        first, second = await token_of(session), await token_of(session)
        monkeypatch.setattr(hmac, "compare_digest", watched)
        await session.approve(first)
    # All of them, also behind the one that matched.
    assert compared == [(digest(first), digest(first)), (digest(first), digest(second))]


@pytest.mark.threat("C03")
async def test_any_listed_token_consumes_the_request_and_the_others_get_its_outcome(workshop: Workshop) -> None:
    async with talking(workshop.build()) as (_, session, _):
        await one(session, "send")
        first, second, third = [await token_of(session) for _ in range(3)]
        outcomes = [await session.approve(token) for token in (second, first, third)]
    assert [outcome.data for outcome in outcomes] == [{"done": "x"}] * 3
    assert [outcome.meta.deduplicated for outcome in outcomes if outcome.meta] == [False, True, True]
    assert len(workshop.runs("send")) == 1


async def test_the_eleventh_listing_retires_the_oldest_token(workshop: Workshop) -> None:
    async with talking(workshop.build()) as (app, session, _):
        await one(session, "send")
        tokens = [await token_of(session) for _ in range(11)]
        retired = await session.approve(tokens[0])
        assert error_of(retired) == "CONFIRMATION_EXPIRED"
        assert retired.error is not None
        assert "list" in retired.error.message
        assert error_of(await session.approve(tokens[1])) == "ok"
        assert await audited(app, "confirmation_wrong_token") == []
    assert len(workshop.runs("send")) == 1


async def test_a_retired_token_is_no_wrong_try(workshop: Workshop) -> None:
    async with talking(workshop.build()) as (_, session, _):
        await one(session, "send")
        tokens = [await token_of(session) for _ in range(30)]
        assert {error_of(await session.approve(old)) for old in tokens[:20]} == {"CONFIRMATION_EXPIRED"}
        assert {error_of(await session.reject(old)) for old in tokens[:20]} == {"CONFIRMATION_EXPIRED"}
        assert error_of(await session.approve(tokens[20])) == "ok"


async def test_ten_wrong_tokens_close_the_door_for_the_window(workshop: Workshop) -> None:
    clock = FakeClock()
    async with talking(workshop.build(), clock=clock) as (app, session, _):
        await one(session, "send")
        wrong = [error_of(await session.approve(f"guess {number}")) for number in range(10)]
        assert wrong == ["NOT_FOUND"] * 10
        clock.advance(1)
        closed = await session.approve(await token_of(session))
        assert closed.error is not None
        assert (error_of(closed), closed.error.retry_after_ms) == ("RATE_LIMIT", 299_000)
        assert closed.error.retryable
        assert error_of(await session.reject(await token_of(session))) == "RATE_LIMIT"
        assert workshop.runs("send") == []
        assert len(await audited(app, "confirmation_wrong_token")) == 10


async def test_the_door_opens_again_when_the_window_has_passed(workshop: Workshop) -> None:
    clock = FakeClock()
    async with talking(workshop.build(), clock=clock) as (_, session, _):
        for number in range(10):
            await session.approve(f"guess {number}")
        clock.advance(WINDOW_SECONDS - 0.001)
        await one(session, "send")
        assert error_of(await session.approve(await token_of(session))) == "RATE_LIMIT"
        clock.advance(0.001)
        assert error_of(await session.approve(await token_of(session))) == "ok"


async def test_tries_at_a_closed_door_do_not_keep_it_closed(workshop: Workshop) -> None:
    clock = FakeClock()
    async with talking(workshop.build(), clock=clock) as (_, session, _):
        for number in range(30):
            await session.approve(f"guess {number}")
            clock.advance(10)
        assert error_of(await session.approve("one more")) == "NOT_FOUND"


async def test_the_door_closes_for_one_user_in_all_their_sessions_and_for_nobody_else(workshop: Workshop) -> None:
    async with running(workshop.build()) as app:
        anns, bobs = await asking(app, ANN), await asking(app, BOB)
        namesake = await asking(app, User(ANN.id, tenant="elsewhere"))
        for number in range(10):
            await anns.approve(f"guess {number}")
        again = await asking(app, ANN)
        assert error_of(await again.approve(await token_of(again))) == "RATE_LIMIT"
        assert error_of(await bobs.approve(await token_of(bobs))) == "ok"
        assert error_of(await namesake.approve(await token_of(namesake))) == "ok"


@pytest.mark.threat("C10")
async def test_a_token_of_another_user_or_conversation_looks_like_one_that_never_was(workshop: Workshop) -> None:
    async with running(workshop.build()) as app:
        owner = await asking(app, ANN, "talk")
        token = await token_of(owner)
        strangers = [
            await app.open(mode="text", user=BOB, conversation="talk"),
            await app.open(mode="text", user=ANN, conversation="another"),
            await app.open(mode="text", user=User(ANN.id, tenant="elsewhere"), conversation="talk"),
        ]
        for stranger in strangers:
            assert await stranger.confirmations() == []
            for decide in (stranger.approve, stranger.reject):
                refused, unknown = await decide(token), await decide("never was")
                assert refused.error == unknown.error
                assert error_of(refused) == "NOT_FOUND"
        assert workshop.runs("send") == []
        assert error_of(await owner.approve(token)) == "ok"


async def test_another_session_of_the_same_user_and_conversation_may_decide(workshop: Workshop) -> None:
    async with running(workshop.build()) as app:
        await asking(app, ANN, "talk")
        voice = await app.open(mode="voice", user=ANN, conversation="talk")
        assert error_of(await voice.approve(await token_of(voice))) == "ok"


@pytest.mark.parametrize("token", ["", "\ud800", "x" * 100_000, "a\0b", "' OR 1=1 --", None, 7, b"bytes"])
async def test_whatever_is_sent_as_a_token_is_answered(workshop: Workshop, token: Any) -> None:
    async with talking(workshop.build()) as (_, session, _):
        await one(session, "send")
        assert error_of(await session.approve(token)) == "NOT_FOUND"
        assert error_of(await session.reject(token)) == "NOT_FOUND"


@pytest.mark.parametrize("how", ["approve", "reject", "expire"])
async def test_a_settled_request_keeps_redacted_values_no_longer(tmp_path: Path, how: str) -> None:
    workshop = Workshop(tmp_path).gated(redact=["args.name"])
    clock = FakeClock()
    async with talking(workshop.build(), clock=clock) as (app, session, _):
        await one(session, "send", {"name": "hunter2"})
        [request] = await session.confirmations()
        assert "hunter2" in request.preview
        assert request.args["name"] == "hunter2"
        if how == "expire":
            clock.advance(WINDOW_SECONDS)
            assert await session.confirmations() == []
        else:
            await (session.approve if how == "approve" else session.reject)(request.token)
        [row] = await request_rows(app)
        assert b"hunter2" not in row.args
        assert "hunter2" not in row.preview


async def test_listing_settles_what_has_expired_and_says_so_once(workshop: Workshop) -> None:
    clock = FakeClock()
    async with talking(workshop.build(), clock=clock) as (app, session, _):
        await one(session, "send")
        clock.advance(WINDOW_SECONDS)
        assert await session.confirmations() == []
        assert await session.confirmations() == []
        [line] = await audited(app, "confirmation_expired")
        assert (line["user"], line["tool"]) == (ANN.id, "send")


async def test_a_confirmation_does_not_show_its_token_when_printed(workshop: Workshop) -> None:
    async with talking(workshop.build()) as (_, session, _):
        await one(session, "send")
        [request] = await session.confirmations()
    assert request.token not in repr(request)
    assert request.token not in f"{[request]}"
