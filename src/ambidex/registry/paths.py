"""Which files a registry may read: plain relative paths inside the tools folder, regular files of a bounded size.

The build wrote these paths; they are checked again here, since an artifact is a file that anybody may have made.
"""

from __future__ import annotations

import os
import re
import stat

MAX_FILE_BYTES = 1 << 20

_ORDINARY = re.compile(r"[A-Za-z0-9_-]+(?:/[A-Za-z0-9_-]+)*(?:\.[A-Za-z0-9]+)*")
"""Almost every path there is: nothing in it needs a closer look."""
_ENCODED = re.compile(r"%[0-9A-Fa-f]{2}")


class UnsafePath(ValueError):
    """The message completes a sentence that begins with the path."""


def check_relative(path: str) -> None:
    """Raises `UnsafePath` unless `path` is relative, with forward slashes, and cannot leave the folder it is under."""
    if _ORDINARY.fullmatch(path):
        return
    if not path or path.startswith("/") or ":" in path:
        raise UnsafePath("is not a relative path")
    if "\\" in path or not path.isprintable() or _ENCODED.search(path):
        raise UnsafePath("has characters that no path of an artifact has")
    if any(part in ("", ".", "..") for part in path.split("/")):
        raise UnsafePath("has an empty step, '.' or '..'")


def read_inside(root: str, path: str) -> bytes:
    """The bytes of a regular file under `root`; raises `UnsafePath` or `OSError`."""
    check_relative(path)
    real_root = os.path.realpath(root)
    real = os.path.realpath(os.path.join(real_root, path))
    if os.path.commonpath([real, real_root]) != real_root:
        raise UnsafePath("leads out of the tools folder")
    # O_NONBLOCK: a FIFO must not hang the process before it can be seen to be one.
    handle = os.open(real, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise UnsafePath("is not a regular file")
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise UnsafePath(f"has more than {MAX_FILE_BYTES} bytes")
    return data
