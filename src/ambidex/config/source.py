"""One place where settings stand: the file, the environment, or what the caller passed. Values are still unchecked."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ambidex.config.keys import KEYS, Key
from ambidex.dialect.nearest import did_you_mean
from ambidex.errors import ConfigError

_BY_NAME = {key.name: key for key in KEYS}
_TABLES = {key.name[:end] for key in KEYS for end, char in enumerate(key.name) if char == "."}
"""`limits.voice.total` stands in the table `limits.voice`, and that one in `limits`."""


@dataclass(frozen=True, slots=True)
class Given:
    """One value as somebody wrote it."""

    key: Key[Any]
    value: Any
    origin: str
    """For people: a file, a variable, "argument" or "default"."""
    place: str
    """Where to look: the origin, with a line where there is one."""
    base: Path
    """What a relative path is relative to."""


def from_defaults(folder: Path) -> Iterator[Given]:
    for key in KEYS:
        yield Given(key, key.default, "default", "the default", folder)


def from_file(path: Path) -> Iterator[Given]:
    """Every setting of a file; raises `ConfigError` for a key that is not in the table."""
    text = _read(path)
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not TOML: {error}; mend that line") from None
    for name, value in _flat(document):
        line = line_of(text, name)
        place = f"{path}:{line}" if line else str(path)
        yield Given(_known(name, place), value, str(path), place, path.parent)


def from_environment(environ: Mapping[str, str]) -> Iterator[Given]:
    """Every variable that names a key. An empty one counts as unset, as compose files and CI write it."""
    for key in KEYS:
        if text := environ.get(key.variable):
            yield Given(key, key.kind.parse(text), key.variable, key.variable, Path.cwd())


def from_arguments(overrides: Mapping[str, Any]) -> Iterator[Given]:
    """What a program or the command line passed, shaped like the file or with dotted names."""
    for name, value in _flat(overrides):
        yield Given(_known(name, "argument"), value, "argument", f"argument {name}", Path.cwd())


def line_of(text: str, name: str) -> int | None:
    """The line where a dotted key is set, or the table that should hold it; `tomllib` keeps no positions."""
    table: tuple[str, ...] = ()
    wanted = tuple(name.split("."))
    found: dict[tuple[str, ...], int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if header := re.match(r"\s*\[\[?([^\]]+)\]", line):
            table = _parts(header[1])
            found.setdefault(table, number)
        elif setting := re.match(r"\s*([\w.\"' -]+?)\s*=", line):
            found.setdefault((*table, *_parts(setting[1])), number)
    places = (found[wanted[:length]] for length in range(len(wanted), 0, -1) if wanted[:length] in found)
    return next(places, None)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ConfigError(f"there is no file {path}; write one with `ambidex init`, or name another") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}; it must be a text file in UTF-8") from None


def _flat(document: Mapping[str, Any], table: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted names and values; only the tables of the table of keys are entered."""
    for inner, value in document.items():
        name = f"{table}{inner}"
        if name in _TABLES and isinstance(value, Mapping):
            yield from _flat(value, f"{name}.")
        else:
            yield name, value


def _known(name: str, place: str) -> Key[Any]:
    if key := _BY_NAME.get(name):
        return key
    if name in _TABLES:
        raise ConfigError(f"{place}: {name} must be a table: write [{name}] and its keys below")
    near = did_you_mean(name, _BY_NAME)
    raise ConfigError(f"{place}: there is no key {name!r}{near or '; `ambidex doctor` lists the keys'}")


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in dotted.split("."))
