"""The page as files: what is served, as what, and that it asks no other host for anything. Browsers: tests/browser."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.server.scripted import Scripted
from tests.server.site import Site, served
from tests.support.apps import Workshop

from ambidex.server import page

FILES = sorted(path.name for path in Path(page.__file__).parent.iterdir() if path.suffix in page._TYPES)


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    async with served(Workshop(tmp_path).reading("look"), Scripted()) as site:
        yield site


async def test_every_file_is_served_under_a_strict_policy_and_asked_for_anew(site: Site) -> None:
    for path in ("/", *(f"/page/{name}" for name in FILES)):
        answer = await site.client.get(path)
        assert answer.status_code == 200, path
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-cache"
    assert (await site.client.get("/")).headers["content-type"] == "text/html; charset=utf-8"


async def test_the_page_names_only_files_that_are_there(site: Site) -> None:
    html = (await site.client.get("/")).text
    named = re.findall(r'(?:src|href)="(/page/[^"]+)"', html)
    assert named
    for path in named:
        assert (await site.client.get(path)).status_code == 200, path
    assert not re.search(r"<script(?![^>]*\bsrc=)|\bon\w+=\"|\bstyle=\"", html), "the policy allows nothing inline"


@pytest.mark.parametrize("name", FILES)
def test_no_file_asks_another_host(name: str) -> None:
    text = (Path(page.__file__).parent / name).read_text()
    assert set(re.findall(r"https?://[^\s\"'`)]+", text)) <= {"http://www.w3.org/2000/svg"}


@pytest.mark.parametrize("name", ["__init__.py", "..%2Fapp.py", "%2e%2e/app.py", "nothing.js", "INDEX.HTML"])
async def test_nothing_else_is_a_page(site: Site, name: str) -> None:
    assert (await site.client.get(f"/page/{name}")).status_code == 404
