"""The package `ai` itself reads our stream: its own client in node, in two major versions, against a real server."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.server.scripted import Scripted, calls
from tests.server.site import Site, served
from tests.support.apps import Workshop
from tests.support.soak import soak

CLIENT = Path(__file__).parent / "ui_client"
VERSIONS = ("ai6", "ai7")


@pytest.fixture(scope="module", autouse=True)
def packages() -> None:
    """As `make setup` leaves them."""
    if shutil.which("node") is None or not (CLIENT / "node_modules" / VERSIONS[-1]).is_dir():
        pytest.fail(f"needs node and npm: install them, then `make client` (or `npm ci` in {CLIENT.name})")


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path).reading("look").gated("send")


async def talk(version: str, site: Site, *steps: dict[str, Any]) -> dict[str, Any]:
    command = ["node", str(CLIENT / "talk.mjs"), version, site.url, json.dumps(steps)]
    node = await asyncio.create_subprocess_exec(*command, cwd=CLIENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, problems = await node.communicate()
    assert node.returncode == 0, problems.decode()
    seen: dict[str, Any] = json.loads(out)
    return seen


def parts_of(seen: dict[str, Any], message: int = -1) -> dict[str, dict[str, Any]]:
    return {part["type"]: part for part in seen["messages"][message]["parts"]}


LOOK = calls(("c1", "look", {"name": "rooms"}))
SEND = calls(("c2", "send", {"name": "Ann"}))


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("approved", "state", "runs"), [(True, "output-available", 1), (False, "output-denied", 0)])
async def test_the_package_shows_tools_data_and_text_and_goes_through_an_approval(
    version: str, approved: bool, state: str, runs: int, workshop: Workshop
) -> None:
    async with served(workshop, Scripted(LOOK, SEND, "Settled.")) as site:
        seen = await talk(version, site, {"say": "send it"}, {"approve": approved})
    assert (seen["status"], seen["error"], seen["requests"]) == ("ready", None, 2)
    assert len(seen["messages"]) == 2
    parts = parts_of(seen)
    assert (parts["tool-look"]["state"], parts["tool-look"]["output"]) == ("output-available", {"done": "rooms"})
    assert parts["data-timeline"]["data"]["tool"] in ("look", "send")
    assert parts["tool-send"]["state"] == state
    assert (parts["text"]["text"], parts["text"]["state"]) == ("Settled.", "done")
    assert parts["data-confirmation"]["data"]["state"] == ("approved" if approved else "rejected")
    assert len(workshop.runs("send")) == runs


@pytest.mark.parametrize("version", soak(("ai7",), VERSIONS))
async def test_the_package_resumes_a_request_that_waits_and_decides_then(version: str, workshop: Workshop) -> None:
    async with served(workshop, Scripted(SEND, "Settled.")) as site:
        seen = await talk(version, site, {"say": "send it"}, {"resume": True}, {"approve": True})
    assert (seen["status"], seen["error"]) == ("ready", None)
    assert parts_of(seen)["tool-send"]["state"] == "output-available"
    assert len(workshop.runs("send")) == 1


@pytest.mark.parametrize("version", soak(("ai7",), VERSIONS))
async def test_the_package_shows_a_failed_turn_as_its_sentence(version: str, workshop: Workshop) -> None:
    async with served(workshop, Scripted(LOOK, ValueError("inside"))) as site:
        seen = await talk(version, site, {"say": "which rooms?"})
    assert seen["status"] == "error"
    assert "inside" not in seen["error"].replace("went wrong inside", "")
    assert seen["requests"] == 1


@pytest.mark.parametrize("version", soak(("ai6",), VERSIONS))
async def test_the_package_does_not_post_a_turn_again_that_ends_with_results(version: str, workshop: Workshop) -> None:
    steps = [calls((f"c{number}", "look", {"name": str(number)})) for number in range(40)]
    async with served(workshop, Scripted(*steps)) as site:
        seen = await talk(version, site, {"say": "look for ever"})
    assert seen["requests"] == 1
    assert parts_of(seen)["data-notice"]["data"]["kind"] == "steps"
