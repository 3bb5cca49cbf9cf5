"""Kinds of values a key may hold: how each is checked, and how it is read from an environment variable.

A check takes what TOML or JSON gave and returns the value to keep, or raises `ValueError` with the rest of the
sentence "KEY …". Where the value stood is the caller's to say.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, TypeVar
from zoneinfo import ZoneInfo, available_timezones

from ambidex.contracts.spec import PROVIDERS
from ambidex.dialect.nearest import did_you_mean

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Kind(Generic[T]):
    """One kind of value."""

    words: str
    """For the table of keys: "text", "whole number ≥ 0"."""
    check: Callable[[Any], T]
    parse: Callable[[str], Any]
    """What an environment variable's text stands for, before `check`."""


def text_kind(words: str, pattern: str, example: str) -> Kind[str]:
    """Text of one shape."""

    def check(value: Any) -> str:
        if not isinstance(value, str) or not re.fullmatch(pattern, value, re.ASCII):
            raise ValueError(f"must be {words}, like {example!r}, not {_shown(value)}")
        return value

    return Kind(words, check, str)


def one_of(*choices: str) -> Kind[str]:
    """One of a few words."""
    words = " or ".join(f"`{choice}`" for choice in choices)

    def check(value: Any) -> str:
        if value not in choices:
            raise ValueError(f"must be {words.replace('`', '')}, not {_shown(value)}{did_you_mean(value, choices)}")
        return str(value)

    return Kind(words, check, str)


def whole_number(least: int) -> Kind[int]:
    def check(value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise ValueError(f"must be a whole number of at least {least}, not {_shown(value)}")
        return value

    return Kind(f"whole number ≥ {least}", check, _number)


def list_of(*choices: str) -> Kind[tuple[str, ...]]:
    """Several of a few words, in an order that means something; none twice."""

    def check(value: Any) -> tuple[str, ...]:
        if not isinstance(value, (list, tuple)):
            raise ValueError(f"must be a list, not {_shown(value)}")
        for word in value:
            if word not in choices:
                near = did_you_mean(word, choices)
                raise ValueError(f"names {_shown(word)}, which is none of {', '.join(choices)}{near}")
        return tuple(dict.fromkeys(value))

    return Kind("list of " + ", ".join(f"`{choice}`" for choice in choices), check, _words)


def _check_share(value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        raise ValueError(f"must be a number from 0 to 1, not {_shown(value)}")
    return float(value)


def _check_path(value: Any) -> Path:
    if not isinstance(value, (str, Path)) or not str(value) or "\0" in str(value):
        raise ValueError(f"must be a path, not {_shown(value)}")
    return Path(os.path.expanduser(value))


def _check_flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"must be true or false, not {_shown(value)}")
    return value


def _check_timezone(value: Any) -> str:
    # UTC needs no time zone database, which some systems do not have.
    if value == "UTC":
        return "UTC"
    try:
        ZoneInfo(value)
    except (KeyError, ValueError, TypeError, OSError):
        near = did_you_mean(value, available_timezones())
        raise ValueError(f"must be an IANA time zone, like 'Europe/Paris', not {_shown(value)}{near}") from None
    return str(value)


def _check_targets(value: Any) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)) or not value:
        raise ValueError(f"must be a list of at least one provider, not {_shown(value)}")
    wanted: set[str] = set()
    for name in value:
        if name not in (*PROVIDERS, *TARGET_ALIASES):
            known = ", ".join(PROVIDERS)
            raise ValueError(f"names {_shown(name)}, which is none of {known}{did_you_mean(name, PROVIDERS)}")
        wanted.update(TARGET_ALIASES.get(name, (name,)))
    return tuple(provider for provider in PROVIDERS if provider in wanted)


def _check_words(value: Any) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)) or not all(isinstance(word, str) and word for word in value):
        raise ValueError(f"must be a list of texts, not {_shown(value)}")
    return tuple(value)


def _check_values(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError(f"must be a table, not {_shown(value)}")
    frozen = _frozen(value)
    assert isinstance(frozen, Mapping)
    return frozen


def _frozen(value: Any) -> Any:
    """The same data, read-only to its depth; conditions and handlers get it, so it holds JSON only."""
    match value:
        case Mapping():
            return MappingProxyType({str(key): _frozen(item) for key, item in value.items()})
        case list() | tuple():
            return tuple(map(_frozen, value))
        case None | bool() | int() | str():
            return value
        case float() if math.isfinite(value):
            return value
    raise ValueError(f"may hold text, numbers, true, false, lists and tables, not {_shown(value)}; write it as text")


def _number(text: str) -> Any:
    try:
        return int(text)
    except ValueError:
        return text


def _flag(text: str) -> Any:
    return {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}.get(text.lower(), text)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _shown(value: Any) -> str:
    """A value in a message; long ones are cut, since a slip of the hand may have put a whole file there."""
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}…"


TARGET_ALIASES = {"gemini": ("geminiNative", "geminiJsonSchema")}
"""`gemini` is native in voice and JSON Schema in text, so a project that names it needs both."""

PATH = Kind("path", _check_path, str)
SHARE = Kind("number from 0 to 1", _check_share, _json)
FLAG = Kind("true or false", _check_flag, _flag)
TIMEZONE = Kind("IANA time zone", _check_timezone, str)
REGION = text_kind("an ISO 3166 region", r"[A-Z]{2}", "US")
LOCALE = text_kind("a locale", r"[a-z]{2,3}([-_][A-Za-z0-9]{2,8})*", "en-GB")
TARGETS = Kind("list of providers", _check_targets, _words)
VALUES = Kind("table", _check_values, _json)
TEXT = text_kind("text on one line", r"[^\r\n]*", "https://id.example/")
WORDS = Kind("list of texts", _check_words, _words)
