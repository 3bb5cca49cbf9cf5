"""Author: a tool is a folder of three files."""

from __future__ import annotations

from tests.support.apps import Workshop

from ambidex.authoring.folder import tool_folders
from ambidex.authoring.source import read_source


def test_a_folder_is_read_into_a_source(workshop: Workshop) -> None:
    look, send = tool_folders(workshop.root / "tools")
    files = {name: (look.path / name).read_bytes() for name in look.stamps}
    source = read_source(look.name, files)
    assert send.name == "send"
    assert sorted(files) == ["guide.md", "handler.py", "schema.json"]
    assert source.schema is not None
    assert source.summary == "Greets somebody by name."
