"""The tools folder on disk: which folders are tools, which files are theirs, and which must not be there.

Nothing is opened here but regular files inside the root, so a FIFO cannot hang a build.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from ambidex.authoring.finding import Finding

MAX_FILE_BYTES = 1 << 20
UNREAD = "scenarios"
"""Checks for `ambidex test`; the build never reads it."""


class FileStamp(msgspec.Struct, frozen=True, array_like=True):
    """What tells, without reading, that a file is the one seen before."""

    size: int
    mtime: int
    ctime: int
    inode: int


@dataclass(slots=True)
class Folder:
    """One tool folder: its files by path inside the folder, sorted, and what is wrong with them."""

    name: str
    path: Path
    stamps: dict[str, FileStamp] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)


def tool_folders(root: Path) -> list[Folder]:
    """Every tool folder under `root`, sorted by name. Plain files beside them are left alone."""
    real_root = os.path.realpath(root)
    with os.scandir(root) as entries:
        names = sorted(e.name for e in entries if not e.name.startswith(("_", ".")) and e.is_dir(follow_symlinks=True))
    return [_scan(name, root / name, real_root) for name in names]


def _scan(name: str, path: Path, real_root: str) -> Folder:
    folder = Folder(name, path)
    if _leaves(path, real_root):
        folder.findings.append(_link("", "the folder is a link that leaves the tools folder"))
        return folder
    found = dict(_files(folder, str(path), "", real_root))
    folder.stamps = {inside: found[inside] for inside in sorted(found)}
    _same_but_for_case(folder)
    return folder


def _files(folder: Folder, directory: str, prefix: str, real_root: str) -> Iterator[tuple[str, FileStamp]]:
    try:
        entries = list(os.scandir(directory))
    except OSError as error:
        folder.findings.append(Finding("AX011", prefix, f"cannot be read: {error.strerror}", "mend its permissions"))
        return
    for entry in entries:
        name = entry.name
        if name.startswith(".") or name == "__pycache__" or name.endswith(".pyc"):
            continue
        if not prefix and name == UNREAD:
            continue
        inside = prefix + name
        if problem := _unsafe_name(inside):
            folder.findings.append(problem)
        elif entry.is_dir(follow_symlinks=False):
            yield from _files(folder, entry.path, inside + "/", real_root)
        else:
            yield from _file(folder, entry, inside, real_root)


def _file(folder: Folder, entry: os.DirEntry[str], inside: str, real_root: str) -> Iterator[tuple[str, FileStamp]]:
    try:
        if entry.is_symlink() and _leaves(entry.path, real_root):
            folder.findings.append(_link(inside, "is a link that leaves the tools folder"))
            return
        info = entry.stat(follow_symlinks=True)
    except OSError as error:
        folder.findings.append(Finding("AX011", inside, f"cannot be read: {error.strerror}", "mend or remove it"))
        return
    if stat.S_ISDIR(info.st_mode):
        folder.findings.append(_link(inside, "is a link to a folder"))
    elif not stat.S_ISREG(info.st_mode):
        folder.findings.append(Finding("AX007", inside, "is not a regular file", "remove it from the tool's folder"))
    elif info.st_size > MAX_FILE_BYTES:
        fix = f"keep files of a tool under {MAX_FILE_BYTES} bytes, or load the data through a capability"
        folder.findings.append(Finding("AX008", inside, f"has {info.st_size} bytes", fix))
    else:
        if info.st_nlink > 1:
            fix = "copy it, so that an edit elsewhere cannot change this tool"
            folder.findings.append(Finding("AX010", inside, f"is one of {info.st_nlink} hard links to one file", fix))
        yield inside, FileStamp(info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino)


def read_file(folder: Folder, inside: str) -> bytes | None:
    """The bytes of one of the folder's files; None, and a finding, when it cannot be read."""
    try:
        # The scan saw a regular file; O_NONBLOCK keeps a FIFO put there since from hanging us.
        handle = os.open(folder.path / inside, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with open(handle, "rb") as file:
            return file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        finding = Finding("AX011", inside, f"cannot be read: {error.strerror}", "mend its permissions")
        folder.findings.append(finding)
        return None


def _leaves(path: str | Path, real_root: str) -> bool:
    real = os.path.realpath(path)
    return os.path.commonpath([real, real_root]) != real_root


def _link(inside: str, what: str) -> Finding:
    return Finding("AX006", inside, what, "put the files themselves there: what is hashed must be what is run")


def _unsafe_name(inside: str) -> Finding | None:
    name = inside.rpartition("/")[2]
    if name.isprintable() and "\\" not in name and ":" not in name and not any(0xD800 <= ord(c) < 0xE000 for c in name):
        return None
    shown = name.encode("unicode_escape", "surrogateescape").decode()
    return Finding("AX009", "", f"holds a file named {shown}", "use names of plain printable characters")


def _same_but_for_case(folder: Folder) -> None:
    seen: dict[str, str] = {}
    for inside in folder.stamps:
        other = seen.setdefault(inside.casefold(), inside)
        if other != inside:
            message = f"differs from {other} only by case"
            folder.findings.append(Finding("AX009", inside, message, "rename one of them: some disks keep only one"))
