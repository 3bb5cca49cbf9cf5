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
TEXT_PROVIDERS = ("openai", "openai-responses", "gemini", "anthropic")
"""The services that a text agent can talk to; `offline` needs none."""


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
PROVIDERS_USE = Key(
    "providers.use",
    kinds.one_of("auto", "offline", *TEXT_PROVIDERS),
    "auto",
    "the model that text agents talk to; `auto`: the first of `providers.order` whose key is set, else offline",
)
PROVIDERS_ORDER = Key(
    "providers.order",
    kinds.list_of(*TEXT_PROVIDERS),
    ["openai", "gemini", "anthropic"],
    "which provider is used when the keys of several are set",
)
PROVIDERS_TIMEOUT_SECONDS = Key(
    "providers.timeout_seconds",
    kinds.whole_number(1),
    60,
    "how long a provider may be silent before a step is given up",
)
PROVIDERS_RETRIES = Key(
    "providers.retries", kinds.whole_number(0), 3, "further tries of a step of which nothing was shown yet"
)


@dataclass(frozen=True, slots=True)
class ProviderKeys:
    """What can be set for each provider. Its API key is no key of this table: it comes from the environment alone."""

    model: Key[str]
    base_url: Key[str]
    view: Key[str]


def _provider(name: str, model: str, base_url: str, view: str) -> ProviderKeys:
    table = f"providers.{name.replace('-', '_')}"
    url = kinds.text_kind("an http address", r"https?://\S+", "https://api.openai.com/v1")
    return ProviderKeys(
        Key(f"{table}.model", kinds.text_kind("a model", r"\S+", model), model, f"the model of `{name}`"),
        Key(f"{table}.base_url", url, base_url, "the address of the service, or of one that speaks like it"),
        Key(
            f"{table}.view",
            kinds.one_of("full", "compact", "payload"),
            view,
            "what the model sees of an envelope: all of it; ok, data or error, notices; or without ok",
        ),
    )


_OPENAI, _GEMINI = "https://api.openai.com/v1", "https://generativelanguage.googleapis.com"
PROVIDERS_BY_NAME: dict[str, ProviderKeys] = {
    "openai": _provider("openai", "gpt-6.1-terra", _OPENAI, "full"),
    "openai-responses": _provider("openai-responses", "gpt-6.1-terra", _OPENAI, "full"),
    "gemini": _provider("gemini", "gemini-3.8-flash", _GEMINI, "payload"),
    "anthropic": _provider("anthropic", "claude-sonnet-5-5", "https://api.anthropic.com", "full"),
}
ANTHROPIC_MAX_TOKENS = Key(
    "providers.anthropic.max_tokens", kinds.whole_number(1), 8192, "the longest message that the model may write"
)
AGENT_MAX_STEPS = Key("agent.max_steps", kinds.whole_number(1), 8, "messages of the model in one turn of a text agent")
AGENT_CONTEXT_TOKENS = Key(
    "agent.context_tokens",
    kinds.whole_number(1000),
    32_000,
    "how much of a conversation is sent to the model; the oldest turns are left out first",
)
MODELS_DIRECTORY = Key(
    "models.directory",
    kinds.PATH,
    "~/.cache/ambidex/models",
    "where `ambidex models install` keeps the models that run on this machine; projects share them",
)
VALUES = Key(
    "values",
    kinds.VALUES,
    {},
    "a table of your own, seen by conditions and handlers as `config.values`; as a variable, a JSON object",
    public=True,
)


SERVER_HOST = Key(
    "server.host", kinds.TEXT, "127.0.0.1", "the address `ambidex serve` listens on; another one needs authentication"
)
SERVER_PORT = Key("server.port", kinds.whole_number(0), 8000, "its port; 0 takes any that is free")
SERVER_WORKERS = Key("server.workers", kinds.whole_number(1), 1, "processes that serve the port, on one store")
SERVER_HOSTS = Key(
    "server.hosts",
    kinds.WORDS,
    [],
    "names that requests may give as their Host; on a loopback address its own names are allowed anyway",
)
SERVER_ORIGINS = Key(
    "server.origins", kinds.WORDS, [], "origins of other pages that may call the server, like `https://app.example`"
)
SERVER_BODY_BYTES = Key("server.body_bytes", kinds.whole_number(1024), 4 << 20, "the largest body of a request")
SERVER_MESSAGE_CHARACTERS = Key(
    "server.message_characters", kinds.whole_number(1), 16_000, "the longest message of a user"
)
SERVER_READ_SECONDS = Key("server.read_seconds", kinds.whole_number(1), 10, "how long a body may take to arrive")
SERVER_WRITE_SECONDS = Key(
    "server.write_seconds", kinds.whole_number(1), 30, "how long a client may read nothing before it is let go"
)
SERVER_TURN_GAP_MS = Key(
    "server.turn_gap_ms", kinds.whole_number(0), 300, "the shortest time between two inputs in one conversation"
)
SERVER_TURNS_PER_MINUTE = Key(
    "server.turns_per_minute", kinds.whole_number(1), 30, "inputs that one conversation may make in a minute"
)
SERVER_REQUESTS_PER_MINUTE = Key(
    "server.requests_per_minute", kinds.whole_number(1), 600, "requests that one user may make of one worker"
)
SERVER_LINGER_SECONDS = Key(
    "server.linger_seconds",
    kinds.whole_number(0),
    10,
    "how long an answer goes on when its reader went away, to be resumed; then it is stopped",
)
SERVER_WAIT_SECONDS = Key(
    "server.wait_seconds", kinds.whole_number(0), 30, "how long a message waits for the answer before it to end"
)
AUTH_KEYS = Key(
    "auth.keys",
    kinds.VALUES,
    {},
    "API keys: a name -> `hash` (SHA-256 of the key, hexadecimal), `user`, and if need be `tenant`, `scopes`, "
    "`namespaces`",
)
AUTH_JWT_SECRET_FILE = Key(
    "auth.jwt_secret_file", kinds.TEXT, "", "the file that holds the shared secret of HS256 tokens, 32 bytes at least"
)
AUTH_JWKS = Key("auth.jwks", kinds.TEXT, "", "where the public keys of tokens are: an https address, or a file")
AUTH_ISSUER = Key("auth.issuer", kinds.TEXT, "", "the `iss` that tokens must have, if any")
AUTH_AUDIENCE = Key("auth.audience", kinds.TEXT, "", "the `aud` that tokens must have, if any")

KB_PATH = Key("kb.path", kinds.PATH, ".ambidex/kb.sqlite3", "the file of the knowledge base")
KB_EMBEDDER = Key(
    "kb.embedder",
    kinds.one_of("auto", "minilm", "light", "none"),
    "auto",
    "what makes vectors for search by meaning; `auto` takes the best that is installed, `none` searches by words alone",
)
KB_SAMPLE = Key("kb.sample", kinds.TEXT, "", "a folder that is imported when the knowledge base is empty; empty: none")
KB_RELEVANCE = Key(
    "kb.relevance",
    kinds.SHARE,
    0.0,
    "the cosine below which a hit shares words and no meaning with the query; 0: what was measured for the embedder",
)


def _keys(found: Iterable[Any]) -> Iterator[Key[Any]]:
    for value in found:
        if isinstance(value, Key):
            yield value
        elif value is VOICE_LIMITS or value is TEXT_LIMITS:
            yield from value.values()
        elif value is PROVIDERS_BY_NAME:
            for table in value.values():
                yield from (table.model, table.base_url, table.view)


KEYS: tuple[Key[Any], ...] = tuple(_keys(list(globals().values())))
"""Every key above, in that order."""
