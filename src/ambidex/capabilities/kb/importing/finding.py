"""Paths, folders and globs -> the files to read, sorted. Nothing is opened here: a FIFO cannot hang an import."""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ambidex.capabilities.kb.importing.told import Refusal

SUFFIXES = (".md", ".markdown", ".jsonl", ".ndjson", ".csv")
_KINDS = "Markdown (.md), JSONL (.jsonl) or CSV (.csv)"
_RENAME = "has a name that is not UTF-8; rename it"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read."""

    path: Path
    """Absolute."""
    shown: str
    """As the person who gave the path would write it."""
    inside: str
    """Below the folder that was given, with forward slashes; ids are made of it."""


@dataclass(slots=True)
class Catch:
    """Everything below the given paths."""

    files: list[SourceFile] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    scopes: list[Path] = field(default_factory=list)
    """Files and folders that were looked through."""
    unseen: list[Path] = field(default_factory=list)
    """Files and folders that are there, or may be, and could not be looked at: nothing below them has vanished."""

    def refuse(self, path: Path, shown: str, why: str) -> None:
        self.refused.append(Refusal(shown, None, why))
        self.unseen.append(path)


def find_files(given: Iterable[str]) -> Catch:
    """Each file once, however many of the given paths lead to it."""
    catch = Catch()
    for text in given:
        for shown in _expanded(text):
            _take(catch, Path(os.path.abspath(shown)), shown)
    once = {file.path: file for file in reversed(catch.files)}
    catch.files = sorted(once.values(), key=lambda file: file.path.parts)
    catch.refused = list(dict.fromkeys(catch.refused))
    catch.skipped = list(dict.fromkeys(catch.skipped))
    return catch


def _expanded(text: str) -> list[str]:
    """A path that exists is that path, whatever characters are in it."""
    if os.path.lexists(text) or not glob.has_magic(text):
        return [text]
    return sorted(glob.glob(text, recursive=True)) or [text]


def _take(catch: Catch, path: Path, shown: str) -> None:
    """A path somebody named: links are followed, and a file of a foreign kind is told."""
    if not _is_text(shown):
        catch.refuse(path, _readable(shown), _RENAME)
        return
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        catch.refuse(path, shown, _missing(shown, error))
        return
    if stat.S_ISDIR(mode):
        catch.scopes.append(path)
        _Folder(catch, path, os.path.realpath(path), shown).walk(path, "")
    elif not stat.S_ISREG(mode):
        catch.refuse(path, shown, _special(mode))
    elif path.suffix.lower() not in SUFFIXES:
        catch.refuse(path, shown, f"is of no kind that can be imported; give it as {_KINDS}")
    else:
        catch.scopes.append(path)
        catch.files.append(SourceFile(path, shown, path.name))


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder that was given, and everything below it."""

    catch: Catch
    root: Path
    real_root: str
    shown: str

    def walk(self, folder: Path, inside: str) -> None:
        for entry in self._entries(folder, inside):
            below = inside + entry.name
            if not _is_text(entry.name):
                self._refuse(Path(entry.path), inside + _readable(entry.name), _RENAME)
            elif entry.is_symlink():
                self._link(entry, below)
            elif entry.is_dir(follow_symlinks=False):
                self.walk(Path(entry.path), below + "/")
            else:
                self._file(entry, below)

    def _entries(self, folder: Path, inside: str) -> Iterator[os.DirEntry[str]]:
        """Hidden ones (`.git`, `.obsidian`) are left alone."""
        try:
            with os.scandir(folder) as entries:
                yield from sorted((e for e in entries if not e.name.startswith(".")), key=lambda entry: entry.name)
        except OSError as error:
            self._refuse(folder, inside.rstrip("/"), f"cannot be read: {error.strerror}; mend its permissions")

    def _file(self, entry: os.DirEntry[str], inside: str) -> None:
        try:
            mode = entry.stat(follow_symlinks=False).st_mode
        except OSError as error:
            self._refuse(Path(entry.path), inside, f"cannot be read: {error.strerror}; mend its permissions")
            return
        if not stat.S_ISREG(mode):
            self._refuse(Path(entry.path), inside, _special(mode))
        elif os.path.splitext(entry.name)[1].lower() in SUFFIXES:
            self.catch.files.append(SourceFile(Path(entry.path), self._shown(inside), inside))
        else:
            self.catch.skipped.append(self._shown(inside))

    def _link(self, entry: os.DirEntry[str], inside: str) -> None:
        """What it leads to inside the folder is imported where it stands; what lies outside was not given."""
        try:
            real = os.path.realpath(entry.path, strict=True)
        except OSError:
            self._refuse(Path(entry.path), inside, "is a link that leads nowhere or in a circle; mend or remove it")
            return
        if os.path.commonpath([real, self.real_root]) != self.real_root:
            why = "is a link that leaves the folder; give what it leads to as a path of its own"
            self._refuse(Path(entry.path), inside, why)
        elif os.path.commonpath([real, os.path.realpath(os.path.dirname(entry.path))]) == real:
            self._refuse(Path(entry.path), inside, "is a link to a folder it stands in; remove it")
        else:
            self.catch.skipped.append(self._shown(inside))

    def _refuse(self, path: Path, inside: str, why: str) -> None:
        self.catch.refuse(path, self._shown(inside), why)

    def _shown(self, inside: str) -> str:
        return os.path.join(self.shown, inside) if inside else self.shown


def _is_text(name: str) -> bool:
    return not any(0xD800 <= ord(character) < 0xE000 for character in name)


def _readable(name: str) -> str:
    return name.encode(errors="surrogateescape").decode(errors="backslashreplace")


def _missing(shown: str, error: OSError) -> str:
    if glob.has_magic(shown):
        return "matches nothing; check the pattern, and that the shell leaves it alone (quote it)"
    if isinstance(error, FileNotFoundError):
        return "is not there; check the path"
    return f"cannot be read: {error.strerror}; mend its permissions"


def _special(mode: int) -> str:
    kinds = ((stat.S_ISFIFO, "a FIFO"), (stat.S_ISSOCK, "a socket"))
    kind = next((words for holds, words in kinds if holds(mode)), "a device")
    return f"is {kind}, not a file; it was not opened; move it out of the folder"
