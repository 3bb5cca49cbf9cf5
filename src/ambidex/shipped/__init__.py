"""Where the tools, prompts and sample of the package are: inside it when installed, at the root of a checkout."""

from __future__ import annotations

from pathlib import Path

from ambidex.errors import AmbidexError

_INSTALLED = Path(__file__).parent
_CHECKOUT = Path(__file__).parents[3]


def path() -> Path:
    """The folder that holds `tools/` and `prompts/`."""
    for folder in (_INSTALLED, _CHECKOUT):
        if (folder / "tools").is_dir() and (folder / "prompts").is_dir():
            return folder
    raise AmbidexError(f"the shipped tools are not in {_INSTALLED}; install ambidex again")


def sample() -> Path:
    """The folder of the sample knowledge base: a fictional studio's people, projects, processes, links, documents."""
    folder = path() / "sample" / "kb"
    if not folder.is_dir():
        raise AmbidexError(f"the sample knowledge base is not in {folder}; install ambidex again")
    return folder
