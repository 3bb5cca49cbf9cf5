"""Files for new projects and new tools: templates filled in, and written without ever overwriting."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

_SUFFIX = ".tmpl"
"""Keeps templates from being taken for the code and data that they become."""

_FOLDER_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_LONGEST_NAME = 64


@dataclass(slots=True)
class Written:
    """What `write` did; `write` alone adds to it."""

    made: list[Path] = field(default_factory=list)
    kept: list[Path] = field(default_factory=list)
    """Were there already and were left as they are."""


def template(name: str, words: Mapping[str, str]) -> dict[str, bytes]:
    """The files of one template: path -> content, with every `{{word}}` filled in."""
    filled: dict[str, bytes] = {}
    for path, text in _texts(files("ambidex.cli") / "templates" / name):
        for word, value in words.items():
            text = text.replace("{{" + word + "}}", value)
        filled[path.removesuffix(_SUFFIX)] = text.encode()
    return filled


def write(folder: Path, contents: Mapping[str, bytes], written: Written) -> None:
    """Write what is not there yet."""
    for name, content in contents.items():
        path = folder / name
        if path.exists():
            written.kept.append(path)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        written.made.append(path)


def copied(folder: Path) -> dict[str, bytes]:
    """The files of a folder, without what Python and editors leave behind."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    inner = ((path.relative_to(folder), path) for path in paths)
    return {name.as_posix(): path.read_bytes() for name, path in inner if not _is_litter(name)}


def tool_words(folder_name: str, modes: tuple[str, ...], schema: str | None) -> dict[str, str]:
    """What the tool templates leave open; `schema` is where editors find the JSON Schema of schema.json."""
    listed = ", ".join(f'"{mode}"' for mode in modes)
    return {
        "tool_id": folder_name.replace("-", "_"),
        "title": folder_name.replace("-", " ").capitalize(),
        "modes": f"[{listed}]",
        "mode": modes[0],
        "schema": f'"$schema": "{schema}",\n  ' if schema else "",
    }


def is_folder_name(name: str) -> bool:
    return len(name) <= _LONGEST_NAME and _FOLDER_NAME.fullmatch(name) is not None


def kebab(name: str) -> str | None:
    """The right spelling of a tool's name, if there is one: `weatherLookup` -> `weather-lookup`."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", name)
    spelled = "-".join(re.findall(r"[a-z0-9]+", parted.lower()))
    return spelled if is_folder_name(spelled) else None


def _texts(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, str]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _texts(entry, f"{prefix}{entry.name}/")
        else:
            yield f"{prefix}{entry.name}", entry.read_text(encoding="utf-8")


def _is_litter(name: Path) -> bool:
    return name.suffix == ".pyc" or any(part.startswith(".") or part == "__pycache__" for part in name.parts)
