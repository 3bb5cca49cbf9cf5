"""What is said about a call's result: a plain sentence from its data, or why there is none."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from ambidex.contracts.faults import ErrorType
from ambidex.offline.extract import MakeMeaning, answer_from, nothing_relevant
from ambidex.transports.untrusted import unwrap

Told: TypeAlias = Callable[[Mapping[str, Any]], str]

_SLOW = re.compile(r"This took \d+ ms|A look-up should take|This turn's calls have taken long")
_MOST_FIELDS = 8
_LONGEST = 300


def tell(tool: str, body: Mapping[str, Any], question: str, meaning: MakeMeaning, *, voice: bool) -> str:
    """One result, as the user hears of it. `question`: what they asked."""
    if "error" in body:
        return _tell_error(tool, body["error"])
    data = unwrap(body.get("data"))
    data = data if isinstance(data, Mapping) else {"result": data} if data is not None else {}
    if tool in ("kb_search", "kb_get"):
        # Whoever asked for a record by its id wants to know what it is about.
        said = _tell_records(data, question if tool == "kb_search" else "", meaning, links=not voice)
    else:
        said = _TELLERS.get(tool, _tell_plain)(data)
    return "\n\n".join([said, *_noticed(body)])


def tell_late(tool: str, body: Mapping[str, Any], question: str, meaning: MakeMeaning, *, voice: bool) -> str:
    """What became of a call that took longer than it was waited for."""
    return f"{tool} has come to its end. {tell(tool, body, question, meaning, voice=voice)}"


def tell_outcome(tool: str, body: Mapping[str, Any], question: str, meaning: MakeMeaning, *, voice: bool) -> str:
    """What became of a call that waited for the user."""
    error = body.get("error")
    if error is None:
        return f"Approved and done: {tool}. {tell(tool, body, question, meaning, voice=voice)}"
    match error.get("type"):
        case ErrorType.CONFIRMATION_REJECTED:
            return f"You declined, so {tool} was not carried out."
        case ErrorType.CONFIRMATION_EXPIRED:
            return (
                f"The request for {tool} expired before you decided; nothing was done. Ask again if you still want it."
            )
    return f"It was approved, but it did not work out. {_tell_error(tool, error)}"


def _tell_error(tool: str, error: Mapping[str, Any]) -> str:
    message = _sentence(str(error.get("message", "")))
    match error.get("type"):
        case ErrorType.CONFIRMATION_REQUIRED:
            request = error.get("confirmation_request") or {}
            what = request.get("preview") or tool
            return f"This waits for your approval on the card: {what}. Nothing happens until you decide."
        case ErrorType.OUTCOME_UNKNOWN:
            return f"I don't know whether {tool} took effect. {message}"
        case ErrorType.AUTH:
            return f"You are not allowed to do that: {message}"
        case ErrorType.RATE_LIMIT | ErrorType.TRANSIENT:
            return f"That did not work just now: {message} {_when(error)}".strip()
    suggestion = error.get("suggestion")
    return f"That did not work: {message}" + (f" {_sentence(str(suggestion))}" if suggestion else "")


def _when(error: Mapping[str, Any]) -> str:
    wait = error.get("retryAfterMs")
    return (
        f"Try again in {max(1, round(wait / 1000))} s." if isinstance(wait, int | float) else "Try again in a moment."
    )


def _noticed(body: Mapping[str, Any]) -> list[str]:
    """What was shortened, limited or already done. That a call was slow, the user has noticed."""
    notices = [str(notice) for notice in body.get("notices") or () if not _SLOW.match(str(notice))]
    return [f"(Note: {' '.join(notices)})"] if notices else []


def _tell_records(data: Mapping[str, Any], question: str, meaning: MakeMeaning, *, links: bool) -> str:
    records = data.get("results") if "results" in data else data.get("records")
    if data.get("nothing_relevant") or not records:
        return nothing_relevant()
    said = answer_from(records, question, meaning, links=links)
    missing = [str(one.get("id", one) if isinstance(one, Mapping) else one) for one in data.get("missing", ())]
    return f"{said}\n\nThere is no {', '.join(missing)}." if missing else said


def _tell_moment(data: Mapping[str, Any]) -> str:
    return f"{data.get('text')} ({data.get('timezone')})."


def _tell_contacts(data: Mapping[str, Any]) -> str:
    kinds = (("people", "name"), ("emails", "value"), ("phones", "value"), ("urls", "value"))
    lines = [
        f"- {kind}: {', '.join(str(item[field]) for item in data[kind])}" for kind, field in kinds if data.get(kind)
    ]
    return "\n".join(["I found:", *lines]) if lines else "There is no name, address, number or link in that text."


def _tell_prompts(data: Mapping[str, Any]) -> str:
    lines = [f"{number}. {one['prompt']}" for number, one in enumerate(data.get("variants", ()), 1)]
    return "\n".join(["Here is a draft:" if len(lines) == 1 else "Here are some drafts:", *lines])


def _tell_tool(data: Mapping[str, Any]) -> str:
    names = ", ".join(data.get("parameters", {}).get("properties", {})) or "none"
    paragraphs = [part.strip() for part in str(data.get("documentation", "")).split("\n\n")]
    summary = next((part for part in paragraphs if part and not part.startswith("#")), "")
    return f"**{data.get('toolId')}**: {summary}\n\nParameters: {names}."


def _tell_plain(data: Mapping[str, Any]) -> str:
    """A tool that nobody described: its data, field by field."""
    shown = [f"{name.replace('_', ' ')}: {_short(value)}" for name, value in list(data.items())[:_MOST_FIELDS]]
    return f"Done. {_sentence('; '.join(shown))}" if shown else "Done."


_TELLERS: Mapping[str, Told] = {
    "format_datetime": _tell_moment,
    "extract_contacts": _tell_contacts,
    "image_draft_prompt": _tell_prompts,
    "reg_describe": _tell_tool,
    "start_voice_session": lambda _: "A voice session is ready: accept it on your screen and go on speaking.",
    "end_voice_session": lambda data: str(data.get("closing_message") or "Goodbye."),
}


_PLAIN = {None: "none", True: "yes", False: "no"}


def _short(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_short, value)) or "none"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_short(inner)}" for name, inner in value.items())
    text = _PLAIN.get(value, str(value)) if value is None or isinstance(value, bool) else str(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + " …"


def _sentence(text: str) -> str:
    text = text.strip()
    return text if not text or text[-1] in ".!?…" else f"{text}."
