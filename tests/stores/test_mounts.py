"""Finding the file system of a folder in what the kernel tells of its mounts."""

from __future__ import annotations

from pathlib import Path

import pytest

from ambidex.stores.mounts import filesystem_of

MOUNTS = r"""
/dev/vda / ext4 rw,relatime 0 0
server:/home /home nfs4 rw,vers=4.2 0 0
tmpfs /home/me/fast tmpfs rw 0 0
//nas/share /mnt/our\040share cifs rw 0 0
""".lstrip()


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/", "ext4"),
        ("/var/lib", "ext4"),
        ("/homes", "ext4"),
        ("/home/me", "nfs4"),
        ("/home/me/fast/here", "tmpfs"),
        ("/mnt/our share/data", "cifs"),
    ],
)
def test_the_innermost_mount_counts(tmp_path: Path, folder: str, kind: str) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(MOUNTS)
    assert filesystem_of(Path(folder), mounts) == kind


def test_a_mount_over_another_counts_in_its_place(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(MOUNTS + "/dev/vdb /home xfs rw 0 0\n")
    assert filesystem_of(Path("/home/me"), mounts) == "xfs"


def test_a_system_that_does_not_tell_gives_none(tmp_path: Path) -> None:
    assert filesystem_of(Path("/"), tmp_path / "no such file") is None
