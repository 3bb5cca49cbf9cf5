"""Lookups by name. Names match exactly: no case folding, no trimming, no Unicode normalisation."""

from __future__ import annotations

from collections.abc import Iterable

from ambidex.contracts.call import Category, Mode
from ambidex.contracts.spec import PROVIDERS
from ambidex.dialect.nearest import nearest_names
from ambidex.errors import AmbidexError


class UnknownName(AmbidexError, KeyError):
    """No tool, provider or mode of that name; the message gives the nearest ones."""

    def __init__(self, what: str, name: object, known: Iterable[str]) -> None:
        self.name = name
        self.nearest = nearest_names(name, known, most=3) if isinstance(name, str) else []
        hint = f"; nearest are {', '.join(self.nearest)}" if self.nearest else ""
        shown = ascii(name) if isinstance(name, str) and len(name) <= 64 else "of that name"
        self._message = f"there is no {what} {shown}{hint}"
        super().__init__(self._message)

    def __str__(self) -> str:
        return self._message


def mode_of(mode: Mode | str | None) -> Mode | None:
    if mode is None or isinstance(mode, Mode):
        return mode
    try:
        return Mode(mode)
    except ValueError:
        raise UnknownName("mode", mode, list(Mode)) from None


def category_of(category: Category | str) -> Category:
    try:
        return Category(category)
    except ValueError:
        raise UnknownName("category", category, list(Category)) from None


def provider_of(provider: str, mode: Mode | None) -> str:
    """The key of `providerSchemas`; `gemini` is the JSON Schema form in text and the native one elsewhere."""
    if provider == "gemini":
        return "geminiJsonSchema" if mode is Mode.TEXT else "geminiNative"
    if provider not in PROVIDERS:
        raise UnknownName("provider", provider, [*PROVIDERS, "gemini"])
    return provider
