"""Many folders at once: each is compiled by a pure function, so a cold build can use every core.

Workers are fresh interpreters with bytes in and bytes out. Forking would copy the threads of whoever called us, and
spawning would run the caller's main module again.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import msgspec

from ambidex.compiler.entry import Compiled, compile_folder

Tell = Callable[[int], None]
_WORTH_IT = 150
"""Folders for each further process; fewer are compiled before it has even started."""


class Job(msgspec.Struct, frozen=True, array_like=True):
    name: str
    files: dict[str, bytes]


class Share(msgspec.Struct, frozen=True, array_like=True):
    targets: tuple[str, ...]
    jobs: tuple[Job, ...]


def compile_jobs(jobs: Sequence[Job], targets: tuple[str, ...], tell: Tell) -> list[Compiled]:
    """In the order given. `tell` hears how many are done."""
    if not jobs:
        return []
    count = max(1, min(os.cpu_count() or 1, len(jobs) // _WORTH_IT))
    size = -(-len(jobs) // count)
    shares = [Share(targets, tuple(jobs[at : at + size])) for at in range(0, len(jobs), size)]
    children = [(share, _start(share)) for share in shares[1:]]
    done = _here(shares[0], tell)
    for share, child in children:
        done += _collect(child) or _here(share, lambda _: None)
        tell(len(done))
    return done


def _here(share: Share, tell: Tell) -> list[Compiled]:
    done: list[Compiled] = []
    with _no_collection():
        for job in share.jobs:
            done.append(compile_folder(job.name, job.files, share.targets))
            tell(len(done))
    return done


@contextmanager
def _no_collection() -> Iterator[None]:
    """Syntax trees and tokens are many and hold no circles: looking for some costs a fifth of a build."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _start(share: Share) -> subprocess.Popen[bytes] | None:
    try:
        child = subprocess.Popen(
            [sys.executable, "-m", "ambidex.compiler.workers"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return None
    assert child.stdin is not None
    try:
        # A child reads all of its share before it answers, so neither waits for the other.
        child.stdin.write(msgspec.msgpack.encode(share))
        child.stdin.close()
    except OSError:
        child.kill()
    return child


def _collect(child: subprocess.Popen[bytes] | None) -> list[Compiled]:
    """What a child made; nothing when it failed, and then its share is compiled here."""
    if child is None or child.stdout is None:
        return []
    with child.stdout:
        answer = child.stdout.read()
    if child.wait() != 0:
        return []
    return msgspec.msgpack.decode(answer, type=list[Compiled])


def main() -> None:
    share = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Share)
    sys.stdout.buffer.write(msgspec.msgpack.encode(_here(share, lambda _: None)))


if __name__ == "__main__":
    main()
