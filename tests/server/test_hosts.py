"""Names and origins: a page of a stranger gets nothing, a script without an Origin gets through."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.server.scripted import Scripted
from tests.server.site import configured, saying, served
from tests.support.apps import Workshop

from ambidex.errors import ConfigError
from ambidex.server.hosts import Doors, doors_of

HERE = Doors(frozenset({"localhost", "127.0.0.1", "::1"}), frozenset({"https://app.example"}))


@pytest.mark.threat("T01")
@pytest.mark.parametrize(
    "host",
    [None, "", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "user@localhost", "localhost:0",
     "localhost/x", "[::1", "127.0.0.1:http", "LOCALHOST.", "localhost:8000:9"],
)  # fmt: skip
def test_a_foreign_name_is_refused(host: str | None) -> None:
    assert HERE.refuse(host, None)


@pytest.mark.threat("T01")
@pytest.mark.parametrize(
    "origin",
    ["null", "", "http://evil.example", "http://localhost:8000.evil.example", "http://localhost:9000",
     "https://app.example.evil.example", "https://app.example:444", "file://", "ftp://localhost:8000"],
)  # fmt: skip
def test_a_foreign_page_is_refused(origin: str) -> None:
    assert HERE.refuse("localhost:8000", origin)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8000", "127.0.0.1:1", "[::1]:8000"])
def test_our_own_names_are_let_in(host: str) -> None:
    assert HERE.refuse(host, None) is None
    assert HERE.refuse(host, f"http://{host}") is None
    assert HERE.refuse(host, "https://app.example") is None


@pytest.mark.threat("T01")
async def test_a_stranger_is_refused_before_anything_else_looks_at_the_request(tmp_path: Path) -> None:
    model = Scripted()
    async with served(Workshop(tmp_path).reading("look"), model) as site:
        for headers in ({"host": "evil.example"}, {"origin": "null"}, {"origin": "https://evil.example"}):
            answer = await site.client.post("/api/chat", json=saying("hello"), headers=headers)
            assert answer.status_code == 403
            assert "access-control-allow-origin" not in answer.headers
        script = await site.client.post("/api/chat", json=saying("hello"))
    assert script.status_code == 200
    assert len(model.asks) == 1


async def test_a_listed_page_may_ask_and_read(tmp_path: Path) -> None:
    listed = {"server.origins": ["https://app.example"]}
    async with served(Workshop(tmp_path).reading("look"), Scripted(), **listed) as site:
        headers = {"origin": "https://app.example"}
        before = await site.client.options("/api/chat", headers={**headers, "access-control-request-method": "POST"})
        answer = await site.client.post("/api/chat", json=saying("hello"), headers=headers)
    assert before.status_code == 204
    assert "authorization" in before.headers["access-control-allow-headers"]
    assert answer.headers["access-control-allow-origin"] == "https://app.example"


async def test_every_answer_keeps_browsers_strict(tmp_path: Path) -> None:
    async with served(Workshop(tmp_path).reading("look"), Scripted()) as site:
        for path in ("/", "/page/main.js", "/page/missing.js", "/api/tools", "/nowhere"):
            answer = await site.client.get(path)
            policy = answer.headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            assert answer.headers["x-content-type-options"] == "nosniff"


def test_every_address_needs_a_list_of_names(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"server\.hosts"):
        doors_of(configured(tmp_path, **{"server.host": "0.0.0.0"}))
