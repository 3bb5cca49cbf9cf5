"""Which file system a folder lies on, where the system tells."""

from __future__ import annotations

import re
from pathlib import Path

_MOUNTS = Path("/proc/self/mounts")


def filesystem_of(folder: Path, mounts: Path = _MOUNTS) -> str | None:
    """The type of the innermost mount that holds `folder`, such as `ext4` or `nfs4`; None where it is not known."""
    try:
        lines = mounts.read_text(errors="surrogateescape").splitlines()
    except OSError:
        return None
    kinds = {_unescaped(point): kind for _, point, kind, *_ in map(str.split, lines)}
    around = (kinds.get(str(place)) for place in (folder, *folder.parents))
    return next((kind for kind in around if kind is not None), None)


def _unescaped(point: str) -> str:
    """The kernel writes spaces, tabs, newlines and backslashes as three octal digits."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), point)
