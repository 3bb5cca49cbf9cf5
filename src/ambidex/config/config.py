"""The effective configuration: frozen, typed by its keys, and able to say where each value came from."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar, cast

from ambidex.config.keys import KEYS, Key
from ambidex.config.source import Given, from_arguments, from_defaults, from_environment, from_file
from ambidex.errors import ConfigError

T = TypeVar("T")

FILE_NAME = "ambidex.toml"

RESERVED_VARIABLES = frozenset({"AMBIDEX_DEBUG"})
"""Variables of ours that are no keys."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A key's value and who set it."""

    key: Key[Any]
    value: Any
    origin: str
    """The path of the file, the name of the variable, `argument` or `default`."""


@dataclass(frozen=True, slots=True)
class Config:
    """Read with `config[keys.TIMEZONE]`; paths come out absolute."""

    path: Path | None
    """The file that was read, if any."""
    settings: Mapping[str, Setting]
    """Name -> setting, one for every key of the table."""
    unknown_variables: tuple[str, ...] = ()
    """`AMBIDEX_…` variables that name no key: told by `ambidex doctor`, since another program may own them."""

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str] | None = None,
        environ: Mapping[str, str] = os.environ,
        overrides: Mapping[str, Any] | None = None,
    ) -> Config:
        """Defaults, the file (`./ambidex.toml` if there), variables, `overrides`: the last to set a key counts."""
        file = _file(path)
        folder = file.parent if file else Path.cwd()
        givens = chain(
            from_defaults(folder),
            from_file(file) if file else (),
            from_environment(environ),
            from_arguments(overrides or {}),
        )
        settings = {given.key.name: _checked(given) for given in givens}
        return cls(file, MappingProxyType(settings), tuple(_unknown(environ)))

    def __getitem__(self, key: Key[T]) -> T:
        return cast(T, self.settings[key.name].value)

    def origin(self, key: Key[Any]) -> str:
        return self.settings[key.name].origin

    def public(self) -> Mapping[str, Any]:
        """What conditions and handlers see as `config`: read-only to its depth, and nothing secret in it."""
        return MappingProxyType({key.name: self[key] for key in KEYS if key.public})


def _file(path: str | os.PathLike[str] | None) -> Path | None:
    if path is not None:
        return Path(path).absolute()
    here = Path.cwd() / FILE_NAME
    return here if here.is_file() else None


def _checked(given: Given) -> Setting:
    try:
        value = given.key.kind.check(given.value)
    except ValueError as error:
        raise ConfigError(f"{given.place}: {given.key.name} {error}") from None
    if isinstance(value, Path):
        value = Path(os.path.normpath(given.base / value))
    return Setting(given.key, value, given.origin)


def _unknown(environ: Mapping[str, str]) -> Iterator[str]:
    known = {key.variable for key in KEYS} | RESERVED_VARIABLES
    return (name for name in sorted(environ) if name.startswith("AMBIDEX_") and name not in known)
