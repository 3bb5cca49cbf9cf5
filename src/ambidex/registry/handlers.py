"""Handlers, compiled from the very bytes that were checked against their hash. Nothing is written, no .pyc is read.

Each tool of each registry is a package of its own under a name that occurs once in the process, so two versions of a
tool can be loaded side by side. Modules and data files of the package come only from the files that the build hashed.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from itertools import count
from types import CodeType, FunctionType, ModuleType
from typing import Any, TypeAlias

from ambidex.errors import HandlerError
from ambidex.registry.paths import UnsafePath, check_relative, read_inside
from ambidex.registry.resources import Reader

Execute: TypeAlias = Callable[[Mapping[str, Any], Any], Coroutine[Any, Any, Any]]

_COROUTINE = 0x80
"""`inspect.CO_COROUTINE`; importing inspect costs more than loading a registry."""
_SERIAL = count(1)


class HashedFolder:
    """One tool's folder as the artifact lists it; reads nothing that the list does not name."""

    __slots__ = ("files", "name", "package", "root", "tool_id")

    def __init__(self, tool_id: str, root: str, handler_path: str, files: Mapping[str, str]) -> None:
        self.tool_id = tool_id
        self.root = root
        self.name = handler_path.rpartition("/")[0]
        self.files = files
        self.package = f"_ambidex_tool_{next(_SERIAL)}_{tool_id}"

    def read(self, path: str) -> bytes:
        """The bytes of a listed file; raises `HandlerError` when they are not those of the build."""
        try:
            data = read_inside(self.root, path)
        except UnsafePath as problem:
            raise HandlerError(f"{self.tool_id}: {path} {problem}; run `ambidex build`") from None
        except OSError as error:
            raise HandlerError(
                f"{self.tool_id}: {path} cannot be read ({error.strerror}); run `ambidex build`"
            ) from None
        if hashlib.sha256(data).hexdigest() != self.files.get(path):
            raise HandlerError(f"{self.tool_id}: {path} is not the file that was built; run `ambidex build`")
        return data

    def holds(self, folder: str) -> bool:
        return any(path.startswith(f"{folder}/") for path in self.files)


def load_handler(tool_id: str, root: str, handler_path: str, files: Mapping[str, str]) -> Execute:
    """The `execute` of a tool; raises `HandlerError` naming the tool and the file."""
    _check_paths(tool_id, handler_path, files)
    folder = HashedFolder(tool_id, root, handler_path, files)
    module = handler_path.rpartition("/")[2].removesuffix(".py")
    _FOLDERS[folder.package] = folder
    if _FINDER not in sys.meta_path:
        sys.meta_path.append(_FINDER)
    try:
        return _execute_of(import_module(f"{folder.package}.{module}"), tool_id, handler_path)
    except HandlerError:
        _forget(folder)
        raise
    except (Exception, SystemExit) as error:
        _forget(folder)
        words = f"{tool_id}: {handler_path} does not load: {type(error).__name__}: {error}"
        raise HandlerError(words) from error


def _check_paths(tool_id: str, handler_path: str, files: Mapping[str, str]) -> None:
    for path in (handler_path, *files):
        try:
            check_relative(path)
        except UnsafePath as problem:
            raise HandlerError(f"{tool_id}: {path!r} {problem}; run `ambidex build`") from None
    if handler_path not in files or not handler_path.endswith(".py") or "/" not in handler_path:
        raise HandlerError(f"{tool_id}: {handler_path} is not among the files of the tool; run `ambidex build`")


def _execute_of(module: ModuleType, tool_id: str, path: str) -> Execute:
    execute = getattr(module, "execute", None)
    if not isinstance(execute, FunctionType) or not execute.__code__.co_flags & _COROUTINE or not _takes_two(execute):
        raise HandlerError(f"{tool_id}: {path} has no `async def execute(args, context)`")
    return execute


def _takes_two(function: FunctionType) -> bool:
    code = function.__code__
    needed = code.co_argcount - len(function.__defaults__ or ())
    keywords = code.co_kwonlyargcount - len(function.__kwdefaults__ or {})
    return needed <= 2 <= code.co_argcount and keywords == 0


def _forget(folder: HashedFolder) -> None:
    """Half an import must not be found again."""
    _FOLDERS.pop(folder.package, None)
    for name in [name for name in sys.modules if name == folder.package or name.startswith(f"{folder.package}.")]:
        del sys.modules[name]


_FOLDERS: dict[str, HashedFolder] = {}
"""Package -> its folder, for every handler loaded in this process."""


class _Finder:
    """Finds modules of our packages, and nothing else."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        package, *rest = name.split(".")
        folder = _FOLDERS.get(package)
        if folder is None:
            return None
        place = "/".join([folder.name, *rest])
        if f"{place}.py" in folder.files and rest:
            return _spec(name, Loader(folder, place, f"{place}.py"), is_package=False)
        if folder.holds(place):
            return _spec(name, Loader(folder, place, f"{place}/__init__.py"), is_package=True)
        return None


_FINDER = _Finder()


def _spec(name: str, loader: Loader, *, is_package: bool) -> ModuleSpec:
    spec = ModuleSpec(name, loader, origin=loader.location, is_package=is_package)  # type: ignore[arg-type]
    spec.has_location = True
    return spec


class Loader:
    """Runs hashed bytes as a module, and hands out hashed bytes as its data."""

    __slots__ = ("file", "folder", "place")

    def __init__(self, folder: HashedFolder, place: str, file: str) -> None:
        self.folder = folder
        self.place = place
        """Of the module; for a package, the folder of its data."""
        self.file = file

    @property
    def location(self) -> str:
        return os.path.join(self.folder.root, self.file)

    def create_module(self, spec: ModuleSpec) -> None:
        """An ordinary module."""

    def exec_module(self, module: ModuleType) -> None:
        # A folder is a package whether or not it has an __init__.py.
        if self.file in self.folder.files:
            exec(self.get_code(module.__name__), module.__dict__)  # noqa: S102

    def get_code(self, name: str) -> CodeType:
        return compile(self.folder.read(self.file), self.location, "exec", dont_inherit=True)

    def get_data(self, location: str) -> bytes:
        """For `pkgutil.get_data`."""
        return self.folder.read(os.path.relpath(location, self.folder.root).replace(os.sep, "/"))

    def get_resource_reader(self, name: str) -> Reader:
        """For `importlib.resources`."""
        return Reader(self.folder, self.place)
