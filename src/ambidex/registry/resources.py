"""Data files of a tool for `importlib.resources`: a tree made of the hashed files alone, read through their hashes."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import IO, Any, Protocol


class Files(Protocol):
    """The part of a tool's folder that this tree stands on."""

    @property
    def files(self) -> Any: ...
    def read(self, path: str) -> bytes: ...


class Resource:
    """A file or folder of a tool; has the methods of `importlib.resources.abc.Traversable`."""

    __slots__ = ("_files", "_path")

    def __init__(self, files: Files, path: str) -> None:
        self._files = files
        self._path = path

    @property
    def name(self) -> str:
        return self._path.rpartition("/")[2]

    def is_file(self) -> bool:
        return self._path in self._files.files

    def is_dir(self) -> bool:
        return any(True for _ in self.iterdir())

    def iterdir(self) -> Iterator[Resource]:
        below = f"{self._path}/"
        names = {path[len(below) :].partition("/")[0] for path in self._files.files if path.startswith(below)}
        return (self / name for name in sorted(names))

    def joinpath(self, *steps: str) -> Resource:
        return Resource(self._files, "/".join([self._path, *steps]))

    def __truediv__(self, step: str) -> Resource:
        return self.joinpath(step)

    def read_bytes(self) -> bytes:
        return self._files.read(self._path)

    def read_text(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        return self.read_bytes().decode(encoding, errors)

    def open(self, mode: str = "r", encoding: str = "utf-8", errors: str = "strict") -> IO[Any]:
        raw = io.BytesIO(self.read_bytes())
        return raw if "b" in mode else io.TextIOWrapper(raw, encoding, errors)


class Reader:
    """What a loader gives `importlib.resources` for a package."""

    __slots__ = ("_root",)

    def __init__(self, files: Files, path: str) -> None:
        self._root = Resource(files, path)

    def files(self) -> Resource:
        return self._root
