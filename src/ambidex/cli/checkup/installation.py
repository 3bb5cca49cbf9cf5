"""Python, the packages Ambidex stands on, and its optional extras, as the package's own metadata names them."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version

from ambidex import __version__
from ambidex.cli.checkup.finding import Finding, State

AREA = "installation"
PYTHON = (3, 11)

EXTRAS = {
    "tools": "the shipped tools extract_contacts and format_datetime",
    "tokens": "exact prompt sizes in `ambidex prompt`",
    "server": "`ambidex serve`",
    "agents": "talking to a model provider",
    "offline": "the provider that needs no key",
    "kb": "search by meaning in the knowledge base",
    "kb-light": "the same, by a small table of word vectors",
    "models": "converting a model, for `ambidex models install`",
}
"""Extra -> what it is for. `dev` is for those who work on Ambidex itself."""

_REQUIREMENT = re.compile(
    r"(?P<name>[\w.-]+)(\[[\w,-]+\])?\s*(>=\s*(?P<least>[\d.]+))?.*?(extra == ['\"](?P<extra>[\w-]+)['\"])?$"
)


def installation() -> Iterator[Finding]:
    yield Finding(AREA, "ambidex", State.OK, __version__)
    yield _python()
    for name, least, extra in requirements():
        if extra is None:
            yield _dependency(name, least)
    for extra, purpose in EXTRAS.items():
        yield _extra(extra, purpose)


def requirements() -> Iterator[tuple[str, str | None, str | None]]:
    """Package, least version, extra (None: always needed)."""
    try:
        lines = requires("ambidex") or []
    except PackageNotFoundError:
        return
    for line in lines:
        found = _REQUIREMENT.match(line)
        if found and found["name"] != "ambidex":
            yield found["name"], found["least"], found["extra"]


def _python() -> Finding:
    least = ".".join(map(str, PYTHON))
    if sys.version_info < PYTHON:
        return Finding(AREA, "python", State.BROKEN, platform.python_version(), f"use Python {least} or newer")
    return Finding(AREA, "python", State.OK, platform.python_version())


def _dependency(name: str, least: str | None) -> Finding:
    wanted = f"{name}>={least}" if least else name
    try:
        present = version(name)
    except PackageNotFoundError:
        return Finding(AREA, name, State.MISSING, "not installed", f'pip install "{wanted}"')
    if least and _numbers(present) < _numbers(least):
        return Finding(AREA, name, State.MISSING, f"{present} is too old", f'pip install --upgrade "{wanted}"')
    return Finding(AREA, name, State.OK, present)


def _extra(extra: str, purpose: str) -> Finding:
    names = [name for name, _, of in requirements() if of == extra]
    absent = [name for name in names if _dependency(name, None).state is not State.OK]
    if absent:
        lacking = f"for {purpose}; without {', '.join(absent)}"
        return Finding(AREA, f"extra {extra}", State.NOTE, lacking, f'pip install "ambidex[{extra}]"')
    return Finding(AREA, f"extra {extra}", State.OK, f"for {purpose}")


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", text)[:3]))
