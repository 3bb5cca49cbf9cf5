"""The table of keys: parsing, checking, the page in `docs/` and `ambidex doctor` all read it and nothing else.

A new key is one entry here; code reads it as `config[keys.TIMEZONE]`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ambidex.config import kinds
from ambidex.config.kinds import Kind
from ambidex.contracts.spec import PROVIDERS

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Key(Generic[T]):
    """One row of the table."""

    name: str
    """As in the file; a dot means a table: `prompts.directory` is `directory` under `[prompts]`."""
    kind: Kind[T]
    default: Any
    """As it would stand in the file; checked like any other value."""
    meaning: str
    public: bool = False
    """Whether conditions and handlers see it in `config`. Never set it for a secret."""

    @property
    def variable(self) -> str:
        """The environment variable that overrides it: dots become underscores."""
        return "AMBIDEX_" + self.name.replace(".", "_").upper()


ENVIRONMENT = Key(
    "environment",
    kinds.one_of("development", "production"),
    "development",
    "in production a stale or altered artifact is refused, in development it is built anew",
    public=True,
)
TOOLS = Key("tools", kinds.PATH, "tools", "the folder of tool folders")
ARTIFACT = Key("artifact", kinds.PATH, "tool_registry.json", "the file that `ambidex build` writes")
TARGETS = Key(
    "targets",
    kinds.TARGETS,
    list(PROVIDERS),
    "the providers this project uses; others cannot cause build errors. `gemini` stands for both of its forms",
)
TIMEZONE = Key("timezone", kinds.TIMEZONE, "UTC", "the zone of dates and times that name none", public=True)
REGION = Key("region", kinds.REGION, "US", "the region of telephone numbers that name none", public=True)
LOCALE = Key("locale", kinds.LOCALE, "en", "the language of formatted dates", public=True)
STORE = Key(
    "store",
    kinds.text_kind("the URL of a store", r"[a-z]+:\S*", "sqlite:ambidex.db"),
    "sqlite:ambidex.db",
    "where sessions, calls, confirmations and the audit last: `memory:` or `sqlite:PATH`",
)
GRACE_SECONDS = Key(
    "grace_seconds", kinds.whole_number(0), 10, "how long calls that still run may take to end when the process stops"
)
PROMPTS_DIRECTORY = Key(
    "prompts.directory", kinds.PATH, "prompts", "the folder of `core.md`, `voice-behavior.md` and `text-behavior.md`"
)
PROMPTS_FULL_DOCS_UP_TO = Key(
    "prompts.full_docs_up_to",
    kinds.whole_number(0),
    6,
    "up to so many tools a text prompt holds their full documentation; a voice prompt never does",
)
BUILD_STRICT = Key("build.strict", kinds.FLAG, False, "warnings stop the build unless the tool acknowledges them")
AUDIT_DIRECTORY = Key("audit.directory", kinds.PATH, "audit", "the folder that the audit is exported to")
AUDIT_ROTATE_BYTES = Key(
    "audit.rotate_bytes",
    kinds.whole_number(1),
    64 << 20,
    "a file of the audit that has grown to this size is followed by a new one",
)
AUDIT_ANCHORS = Key(
    "audit.anchors",
    kinds.PATH,
    "audit/anchors.jsonl",
    "the file that notes the end of the audit from time to time; safest on another disk than the audit itself",
)
CONFIRMATION_TTL_SECONDS = Key(
    "confirmation.ttl_seconds", kinds.whole_number(1), 300, "how long a request waits for the user before it expires"
)
CONFIRMATION_PENDING = Key(
    "confirmation.pending", kinds.whole_number(1), 3, "requests that may wait in one conversation at the same time"
)
CONFIRMATION_HOURLY = Key(
    "confirmation.hourly", kinds.whole_number(1), 10, "requests that one conversation may make in an hour"
)
RETENTION_HOURS = Key(
    "retention.hours",
    kinds.whole_number(24),
    24,
    "how long calls are kept, at least: a write is never forgotten earlier than that",
)
RETENTION_READS = Key(
    "retention.reads", kinds.whole_number(1), 100, "recorded answers of reads that a session keeps for repeats"
)
RETENTION_WRITES = Key(
    "retention.writes", kinds.whole_number(1), 1_000_000, "writes that the store holds before it refuses new ones"
)


def _limits(mode: str, **defaults: int) -> dict[str, Key[int]]:
    """What one turn of a mode may use: a name -> its key."""
    return {
        name: Key(f"limits.{mode}.{name}", kinds.whole_number(0), default, _LIMITS[name])
        for name, default in defaults.items()
    }


_LIMITS = {
    "retrieval": "look-ups in one turn",
    "total": "calls in one turn, of every category; questions about tools are counted apart",
    "discovery": "questions about tools in one turn",
    "refusals": "refused calls after which a turn's tool use is over",
    "retries": "attempts after the first one, where trying again is harmless",
    "retrieval_ms": "what a look-up should take, in milliseconds; a slower one is told, not stopped",
    "turn_ms": "what the calls of a turn should take together, in milliseconds; 0: nobody waits in silence",
}

VOICE_LIMITS = _limits(
    "voice", retrieval=2, total=3, discovery=2, refusals=10, retries=1, retrieval_ms=800, turn_ms=1500
)
TEXT_LIMITS = _limits("text", retrieval=5, total=8, discovery=5, refusals=10, retries=3, retrieval_ms=2000, turn_ms=0)
VALUES = Key(
    "values",
    kinds.VALUES,
    {},
    "a table of your own, seen by conditions and handlers as `config.values`; as a variable, a JSON object",
    public=True,
)


def _keys(found: Iterable[Any]) -> Iterator[Key[Any]]:
    for value in found:
        if isinstance(value, Key):
            yield value
        elif value is VOICE_LIMITS or value is TEXT_LIMITS:
            yield from value.values()


KEYS: tuple[Key[Any], ...] = tuple(_keys(list(globals().values())))
"""Every key above, in that order."""
