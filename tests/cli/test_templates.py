"""The templates are tools in earnest: they run, and do what their own scenarios say."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import orjson
import pytest

from ambidex import build, load
from ambidex.arguments.prepare import Prepared
from ambidex.cli.scaffold import Written, template, tool_words, write
from ambidex.contracts.call import Mode
from ambidex.contracts.response import ToolResponse
from ambidex.dialect.validator import compile_schema


class Messages(list[Any]):
    """The user's channel, remembered."""

    async def send(self, message: Any) -> None:
        self.append(message)


@pytest.mark.parametrize("name", ["retrieval", "utility", "action", "writes", "opening-hours"])
async def test_a_template_does_what_its_scenario_says(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "tools" / "my-tool"
    write(folder, template(name, tool_words("my-tool", ("text", "voice"), None)), Written())
    scenario = json.loads((folder / "scenarios" / "one.json").read_text())
    tool = load(build(tmp_path / "tools", tmp_path / "registry.json", strict=True).path)._tool("my_tool")
    call = tool.plan.prepare(scenario["call"], Mode(scenario["given"]["mode"]))
    assert isinstance(call, Prepared)
    messages = Messages()
    answer = await tool.execute(call.args, SimpleNamespace(messaging=messages))

    assert isinstance(answer, ToolResponse)
    expected = scenario["expect"]
    assert answer.ok is expected["ok"]
    assert answer.data == expected["data"]
    assert orjson.loads(msgspec.json.encode(answer.intents)) == expected.get("intents", [])
    assert messages == expected.get("sent", [])
    response = json.loads((folder / "schema.json").read_text())["response"]
    assert compile_schema(response).is_valid(answer.data)
