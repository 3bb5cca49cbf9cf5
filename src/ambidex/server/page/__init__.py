"""The page: three files, served as they are. No build step, nothing from any other host."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from ambidex.server.answers import not_found

_FOLDER = Path(__file__).parent
_TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


@cache
def _files() -> dict[str, bytes]:
    """Read once; a name that is not in here is not a file of ours."""
    return {path.name: path.read_bytes() for path in _FOLDER.iterdir() if path.suffix in _TYPES}


async def index(_: Request) -> Response:
    return _served("index.html")


async def asset(request: Request) -> Response:
    return _served(request.path_params["name"])


def _served(name: str) -> Response:
    content = _files().get(name)
    if content is None:
        raise not_found("there is no such page")
    kind = _TYPES[Path(name).suffix]
    return Response(content, media_type=f"{kind}; charset=utf-8", headers={"cache-control": "no-cache"})
