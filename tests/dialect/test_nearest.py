"""The name somebody probably meant."""

from __future__ import annotations

from ambidex.dialect.nearest import did_you_mean, nearest


def test_a_near_name_is_found_whatever_its_case() -> None:
    assert nearest("GEMININATIVE", ["openai", "geminiNative"]) == "geminiNative"


def test_an_abbreviation_is_near_when_it_fits_one_name_only() -> None:
    assert nearest("prod", ["development", "production"]) == "production"
    assert nearest("g", ["geminiNative", "geminiJsonSchema"]) is None


def test_nothing_is_said_when_nothing_is_near() -> None:
    assert did_you_mean("zzz", ["openai"]) == ""


def test_the_sentence_ends_an_error_message() -> None:
    assert did_you_mean("tool", ["tools"]) == "; did you mean 'tools'?"
