"""One instant, written for a person. Parsing, zones and locales are checked here; the wording is in the siblings."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from ambidex import ErrorType, ToolResponse, fail, ok

from .moment import OutOfRange, in_zone, parse, rfc3339
from .places import UnknownName, find_locale, find_zone
from .wording import WRITERS


def _now() -> datetime:
    """The only clock of this tool; scenarios that give `now` replace it."""
    return datetime.now(UTC)


async def execute(args: Mapping[str, Any], context: Any) -> ToolResponse:
    try:
        zone = find_zone(args.get("timezone") or context.config.get("timezone", "UTC"))
        locale = find_locale(args["locale"])
        moment = in_zone(parse(args["value"]), zone)
        iso = rfc3339(moment)
        text = WRITERS[args["style"]](moment, locale, _now())
    except UnknownName as unknown:
        return fail(ErrorType.VALIDATION, unknown.message, suggestion=unknown.suggestion)
    except OutOfRange as outside:
        return fail(ErrorType.VALIDATION, str(outside))
    except ModuleNotFoundError:
        return fail(ErrorType.PERMANENT, 'dates need a package that is not installed: pip install "ambidex[tools]"')
    return ok({"text": text, "iso": iso, "timezone": zone.key})
