"""Books a room: a line in the studio's book. When this runs, a person has approved exactly these arguments."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ambidex import ok


async def execute(args: Mapping[str, Any], context: Any) -> Any:
    booked = f"{args['room']}, {args['start']}"
    note_down(booked)
    return ok({"booked": booked})


def note_down(booked: str) -> None:
    with Path("bookings.txt").open("a", encoding="utf-8") as book:
        book.write(f"{booked}\n")
