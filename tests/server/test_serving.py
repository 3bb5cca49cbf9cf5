"""`ambidex serve` as a process: it starts with words, serves from several workers, and stops without losing an end."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import httpx2 as httpx
import pytest
from tests.server.site import configured, saying, told
from tests.support.apps import Workshop
from tests.support.soak import soak
from tests.support.workers import PATHS

from ambidex.audit.log import StoreLog, parsed
from ambidex.audit.verify import verify
from ambidex.ledger.rows import CallState
from ambidex.ledger.spaces import CALLS
from ambidex.stores.sqlite import SqliteStore
from ambidex.testing.standins import Call, Calls, OpenAIChatStandin, Say, Step
from ambidex.testing.standins.heard import Heard

SLOW = """\
import asyncio
from ambidex import ok

async def execute(args, context):
    await asyncio.sleep(0.05)
    return ok({"done": args["name"]})
"""


def pays(heard: Heard) -> Step:
    """A model that pays whatever is asked, and says so."""
    return Say("Paid.") if heard.answers else Calls(Call("pay", {"name": heard.said}))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    Workshop(tmp_path).writing("pay", handler=SLOW, downstream="key")
    configured(tmp_path)
    return tmp_path


@asynccontextmanager
async def serving(
    project: Path, *options: str, **variables: str
) -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
    """A server of its own in this folder, and its address; whatever is left of it is killed."""
    known = {"PATH": os.environ["PATH"], "HOME": str(project), "PYTHONPATH": PATHS, "OPENAI_API_KEY": "x", **variables}
    server = await asyncio.create_subprocess_exec(
        *[sys.executable, "-m", "ambidex", "serve", "--port", "0", "--json", *options],
        cwd=project,
        env=known,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,  # so that its workers can be ended with it
    )
    assert server.stdout is not None
    try:
        said = b""
        while not said.endswith(b"\n}\n"):
            line = await server.stdout.readline()
            assert line, (await server.communicate())[1].decode()
            said += line
        url = json.loads(said)["url"]
        async with httpx.AsyncClient(base_url=url) as client, asyncio.timeout(30):
            while True:
                with suppress(httpx.TransportError):
                    if (await client.get("/readyz")).status_code == 200:
                        break
                await asyncio.sleep(0.02)
        yield server, url
    finally:
        with suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGKILL)
        await server.communicate()


def settings(standin: OpenAIChatStandin) -> dict[str, str]:
    return {
        "AMBIDEX_PROVIDERS_USE": "openai",
        "AMBIDEX_PROVIDERS_OPENAI_BASE_URL": standin.base_url,
        "AMBIDEX_PROVIDERS_OPENAI_MODEL": "gpt-test",
        "AMBIDEX_SERVER_TURN_GAP_MS": "0",
    }


@pytest.mark.threat("T12")
@pytest.mark.parametrize("workers", [1, 2])
async def test_a_server_that_is_told_to_stop_under_load_loses_no_end(project: Path, workers: int) -> None:
    many = soak(24, 400)
    with_workers = ("--workers", str(workers))
    async with (
        OpenAIChatStandin(pays) as standin,
        serving(project, *with_workers, **settings(standin)) as (server, url),
    ):
        async with httpx.AsyncClient(base_url=url, timeout=30) as client:
            asking = [
                asyncio.ensure_future(client.post("/api/chat", json=saying(f"bill {n}", chat=f"chat-{n}")))
                for n in range(many)
            ]
            await asyncio.wait(asking, return_when=asyncio.FIRST_COMPLETED)
            server.send_signal(signal.SIGTERM)
            answers = await asyncio.gather(*asking, return_exceptions=True)
        async with asyncio.timeout(30):
            assert await server.wait() == 0
    whole = [answer for answer in answers if isinstance(answer, httpx.Response) and answer.text.endswith("[DONE]\n\n")]
    assert whole
    assert all(told(answer).text for answer in whole if answer.status_code == 200)
    store = SqliteStore(project / "ambidex.db")
    rows = store.run(lambda tx: [row for _, row in tx.scan(CALLS)])
    lines = [parsed(line) for line in StoreLog(store).read()]
    started = {line.key for line in lines if line.event == "call_started"}
    assert rows
    assert all(row.state is not CallState.STARTED for row in rows)
    assert started == {line.key for line in lines if line.event == "call_finished"}
    assert verify(project / "audit", anchor_file=project / "audit" / "anchors.jsonl", store=store).ok
    store.close()


async def test_several_workers_are_one_server(project: Path) -> None:
    """A conversation goes on whichever worker gets its requests: each one comes on a connection of its own."""
    async with OpenAIChatStandin(pays) as standin:
        async with serving(project, "--workers", "2", **settings(standin)) as (_, url):
            for number in range(6):
                async with httpx.AsyncClient(base_url=url, timeout=30) as client:
                    answer = told(await client.post("/api/chat", json=saying(f"bill {number}")))
                    assert answer.text == "Paid."
                    assert answer.client.data["data-turn", "turn"]["turn"] == number + 1
        assert [len(request["messages"]) for request in standin.requests][-1] > 20
    assert standin.refused == []


@pytest.mark.threat("T02")
async def test_neither_keys_nor_tokens_nor_words_are_in_what_the_server_writes(project: Path) -> None:
    marker = "sesame-marker-5c1f"
    async with OpenAIChatStandin(pays) as standin, serving(project, "--dev", **settings(standin)) as (server, url):
        async with httpx.AsyncClient(base_url=url, headers={"authorization": f"Bearer {marker}"}) as client:
            await client.post("/api/chat", json=saying(marker))
            await client.get(f"/api/tools?token={marker}")
            await client.post(f"/api/confirmations/none/approve?token={marker}", json={"token": marker})
            await client.post(f"/nowhere?{marker}", content=marker)
        server.send_signal(signal.SIGTERM)
        out, problems = await server.communicate()
    assert b"POST /api/chat 200" in problems
    assert marker.encode() not in out + problems


async def test_it_starts_from_nothing_tells_each_step_and_then_the_address(project: Path) -> None:
    (project / "sample").mkdir()
    (project / "sample" / "records.jsonl").write_text(
        '{"id": "doc:tea", "type": "doc", "namespace": "studio", "title": "Tea", "text": "Tea is at four."}\n'
    )
    (project / "ambidex.toml").write_text('kb.sample = "sample"\nkb.embedder = "none"\nproviders.use = "offline"\n')
    server = await asyncio.create_subprocess_exec(
        *[sys.executable, "-m", "ambidex", "serve", "--port", "0"],
        cwd=project,
        env={"PATH": os.environ["PATH"], "HOME": str(project), "PYTHONPATH": PATHS},
        stderr=subprocess.PIPE,
    )
    assert server.stderr is not None
    try:
        said: list[str] = []
        async with asyncio.timeout(60):
            while not said or not said[-1].startswith("Open "):
                line = (await server.stderr.readline()).decode()
                assert line, said
                said.append(line.rstrip())
        async with httpx.AsyncClient(base_url=said[-1].removeprefix("Open ")) as client:
            assert (await client.get("/readyz")).status_code == 200
    finally:
        server.send_signal(signal.SIGINT)
        await server.communicate()
    assert server.returncode == 0
    steps = [line for line in said if line.endswith(" s)")]
    assert [line.split()[0] for line in steps] == ["tools", "registry", "model", "knowledge", "vectors", "server"]
    assert "1 record, the sample was imported" in steps[3]
    assert (project / "tool_registry.json").exists()


def started(project: Path, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """A server that does not even start."""
    return subprocess.run(
        [sys.executable, "-m", "ambidex", "serve", "--port", "0", *options],
        cwd=project,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": PATHS, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def test_in_production_a_stale_artifact_is_refused(project: Path) -> None:
    Workshop(project).build()
    handler = project / "tools" / "pay" / "handler.py"
    handler.write_text(handler.read_text() + "\n# changed\n")
    ended = started(project, AMBIDEX_ENVIRONMENT="production")
    assert ended.returncode == 1
    assert "was built as" in ended.stderr
    assert "ambidex build" in ended.stderr


@pytest.mark.threat("A01")
def test_in_production_an_altered_artifact_is_refused(project: Path) -> None:
    Workshop(project).build()
    artifact = project / "tool_registry.json"
    artifact.write_bytes(
        artifact.read_bytes().replace(b'"requiresConfirmation":false', b'"requiresConfirmation":true ')
    )
    ended = started(project, AMBIDEX_ENVIRONMENT="production")
    assert ended.returncode == 1
    assert "tool_registry.json" in ended.stderr
    assert "Open" not in ended.stderr


def test_an_address_that_others_reach_is_refused_without_authentication(project: Path) -> None:
    ended = started(project, "--host", "0.0.0.0")
    assert ended.returncode == 1
    assert "needs authentication" in ended.stderr
