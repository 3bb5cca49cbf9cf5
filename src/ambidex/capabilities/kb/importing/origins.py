"""Where records came from, as the base keeps it: `../notes/a.md`, or `../links.jsonl#link:a` for a row.

Paths are relative to the folder of the base, so that a project can be moved as a whole.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path


class Origins:
    """What the base knew before an import, by file."""

    def __init__(self, base: Path, known: Mapping[str, str]) -> None:
        self._base = os.path.abspath(base)
        self._known = known
        self._files: dict[str, dict[str, str]] = {}
        for origin, digest in known.items():
            self._files.setdefault(origin.partition("#")[0], {})[digest] = origin

    def __contains__(self, origin: str) -> bool:
        return origin in self._known

    def of_file(self, path: Path) -> str:
        relative = os.path.relpath(path, self._base).replace(os.sep, "/")
        return relative.replace("%", "%25").replace("#", "%23")

    def of_row(self, path: Path, id: str) -> str:
        return f"{self.of_file(path)}#{id}"

    def path(self, origin: str) -> Path:
        """Of the file, absolute."""
        relative = origin.partition("#")[0].replace("%23", "#").replace("%25", "%")
        return Path(os.path.normpath(os.path.join(self._base, relative)))

    def lost(self, origin: str) -> bool:
        """Whether its file is not there any more; one that cannot be looked at is."""
        try:
            os.lstat(self.path(origin))
        except (FileNotFoundError, NotADirectoryError):
            return True
        except OSError:
            return False
        return False

    def by_digest(self, path: Path) -> Mapping[str, str]:
        """Digest -> origin, of everything that came from a file."""
        return self._files.get(self.of_file(path), {})

    def gone(self, seen: Mapping[str, int], scopes: Iterable[Path], unsure: Iterable[Path]) -> list[str]:
        """Those below `scopes` that were not seen; nothing below `unsure` counts as gone."""
        looked, doubtful = set(scopes), set(unsure)
        files = {file for file in self._files if self._below(file, looked) and not self._below(file, doubtful)}
        return [origin for origin in self._known if origin.partition("#")[0] in files and origin not in seen]

    def _below(self, file: str, folders: set[Path]) -> bool:
        path = self.path(file)
        return path in folders or not folders.isdisjoint(path.parents)
