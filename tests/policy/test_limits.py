"""The limits of a mode are those of the specification, and configuration can change each."""

from __future__ import annotations

from tests.support.apps import Workshop, error_of, one, talking

from ambidex.contracts.call import Mode
from ambidex.policy.limits import DEFAULTS, TEXT, VOICE
from ambidex.session.settings import settings_of


def test_the_figures_are_the_specifications() -> None:
    assert (VOICE.retrieval, VOICE.total, VOICE.discovery, VOICE.refusals, VOICE.retries) == (2, 3, 2, 10, 1)
    assert (TEXT.retrieval, TEXT.total, TEXT.discovery, TEXT.refusals, TEXT.retries) == (5, 8, 5, 10, 3)
    assert (VOICE.retrieval_ms, VOICE.turn_ms) == (800, 1500)
    assert (TEXT.retrieval_ms, TEXT.turn_ms) == (2000, None)


def test_without_configuration_the_defaults_hold() -> None:
    assert settings_of({}).limits == DEFAULTS == {Mode.VOICE: VOICE, Mode.TEXT: TEXT}


async def test_a_configured_limit_is_the_one_that_holds(workshop: Workshop) -> None:
    async with talking(workshop.reading().build(), config={"limits.text.retrieval": 1}) as (_, session, _):
        assert error_of(await one(session, "look", {"name": "1"})) == "ok"
        assert error_of(await one(session, "look", {"name": "2"})) == "BUDGET_EXCEEDED"
