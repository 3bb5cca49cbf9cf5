"""`ambidex audit`: what happened, and whether the record of it is whole."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ambidex.cli.options import common_options, load_config
from ambidex.cli.output import Exit, columns, leave, note, on_terminal, plural, say, say_json, shown
from ambidex.config import keys

if TYPE_CHECKING:
    from ambidex.audit.line import Line
    from ambidex.audit.log import AuditLog
    from ambidex.audit.verify import Verdict
    from ambidex.config import Config
    from ambidex.policy.replay import Recorded
    from ambidex.session.replay import Replayed
    from ambidex.stores.base import Store

_POLL_SECONDS = 0.5

store_option = click.option("--store", "url", metavar="URL", help="The store (default: configured).")
directory_option = click.option(
    "--directory",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder of the exported files (default: configured).",
)


@click.group(short_help="Read the audit, or verify that it is whole.")
def command() -> None:
    """Read the audit, or verify that it is whole."""


@command.command()
@click.option("-n", "count", type=click.IntRange(min=0), default=20, show_default=True, help="How many lines.")
@click.option("--follow", is_flag=True, help="Go on with what is recorded from now on, until interrupted.")
@click.option("--session", help="Only this session.")
@click.option("--tool", help="Only this tool.")
@store_option
@directory_option
@common_options
def tail(
    count: int,
    follow: bool,
    session: str | None,
    tool: str | None,
    url: str | None,
    directory: Path | None,
    config_path: Path | None,
    as_json: bool,
) -> None:
    """Print the newest lines of the audit.

    They come from the store; where there is none, or with --directory, from the exported files. With --json each line
    is printed as it was recorded: one JSON document on each.
    """
    from ambidex.audit.log import tail as newest

    def wanted(line: Line) -> bool:
        return session in (None, line.session) and tool in (None, line.tool)

    with open_log(load_config(config_path, store=url), directory) as log:
        draw = _say_raw if as_json else _drawer()
        after = log.end()
        for line in newest(log, count, keep=wanted if session or tool else None):
            draw(line)
        if follow:
            _follow(log, after, wanted, draw)


@command.command()
@click.argument("path", required=False, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--anchors", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="The anchors (default: configured)."
)
@store_option
@common_options
def verify(path: Path | None, anchors: Path | None, url: str | None, config_path: Path | None, as_json: bool) -> None:
    """Verify that no line of the audit was changed, removed, added or moved.

    PATH is a folder of exported files, or one file (default: the configured folder). The configured store, where there
    is one, and the anchors say where the audit must end; for a PATH of your own only what you name counts. With --json:
    {"ok", "lines", "end", "firstBad": {"file", "line", "seq"}, "reason"}.
    """
    from ambidex.audit.verify import verify as verified

    config = load_config(config_path, store=url)
    place = path or config[keys.AUDIT_DIRECTORY]
    with open_existing(config[keys.STORE]) if path is None or url else _no_store() as store:
        files = place if place.is_dir() else [place] if place.is_file() else []
        if not files and store is None:
            raise click.ClickException(f"there is nothing to verify: no {shown(place)}, no store {config[keys.STORE]}")
        anchor_file = anchors or _anchors(config, path)
        if files and anchor_file is None:
            note("there are no anchors: lines cut off at the end show only by the store")
        verdict = verified(files, anchor_file=anchor_file, store=store)
    _tell(verdict, as_json=as_json)
    leave(Exit.OK if verdict.ok else Exit.PROBLEMS)


@command.command("replay", context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"]})
@click.argument("session")  # an id may begin with a dash, so there are no short options here
@click.option(
    "--against",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    required=True,
    help="The artifact that is to decide.",
)
@store_option
@common_options
def replay_command(session: str, against: Path, url: str | None, config_path: Path | None, as_json: bool) -> None:
    """Decide a recorded session once more, by another artifact.

    SESSION is its id, or the beginning of it. Arguments are checked and the policy is asked for each call as it was
    recorded, under the configured limits; no handler runs, and the store is left as it is. Shown is every call that
    would be decided otherwise, and every one whose arguments were not kept whole. With --json: {"ok", "session",
    "calls", "differences", "notReplayable"}. The exit code is 1 if a decision differs.
    """
    from ambidex.registry.load import load
    from ambidex.session.replay import replay
    from ambidex.session.settings import settings_of

    config, registry = load_config(config_path, store=url), load(against)
    with open_existing(config[keys.STORE]) as store:
        if store is None:
            raise click.ClickException(f"nothing was recorded yet: no store {config[keys.STORE]}")
        recorded = _recorded(store, session)
    calls = replay(recorded, registry, settings_of(config))
    _tell_replay(recorded.session.id, calls, as_json=as_json)
    leave(Exit.PROBLEMS if any(call.differs for call in calls) else Exit.OK)


def _recorded(store: Store, session: str) -> Recorded:
    """By the beginning of its id, as `audit tail` prints it."""
    from ambidex.ledger.spaces import SESSIONS
    from ambidex.policy.replay import read_record

    found = store.run(lambda tx: [name for name, _ in tx.scan(SESSIONS, session, limit=2)], lasting=False)
    if len(found) > 1 and session not in found:
        raise click.UsageError(f"several sessions begin with {session!r}; give more of the id")
    record = store.run(lambda tx: read_record(tx, found[0]), lasting=False) if found else None
    if record is None:
        raise click.ClickException(f"there is no session {session!r} in the store; `ambidex audit tail` names them")
    return record


@contextmanager
def open_log(config: Config, directory: Path | None) -> Iterator[AuditLog]:
    from ambidex.audit.log import FileLog, StoreLog

    with _no_store() if directory else open_existing(config[keys.STORE]) as store:
        place = directory or config[keys.AUDIT_DIRECTORY]
        if store is not None:
            yield StoreLog(store)
        elif place.is_dir():
            yield FileLog(place)
        else:
            raise click.ClickException(f"nothing was recorded yet: no {shown(place)}, no store {config[keys.STORE]}")


@contextmanager
def open_existing(url: str) -> Iterator[Store | None]:
    """The store, or None where there is none yet: looking at it must not make one."""
    from ambidex.stores.open import open_store

    kind, _, path = url.partition(":")
    if url == "memory:" or (kind == "sqlite" and not Path(path).exists()):
        yield None
        return
    store = open_store(url)
    try:
        yield store
    finally:
        store.close()


@contextmanager
def _no_store() -> Iterator[None]:
    yield None


def _anchors(config: Config, path: Path | None) -> Path | None:
    """The configured anchors belong to the configured folder; another folder has its own beside it, if any."""
    anchors = config[keys.AUDIT_ANCHORS]
    if path is not None:
        anchors = (path if path.is_dir() else path.parent) / anchors.name
    return anchors if anchors.exists() else None


def _follow(log: AuditLog, after: int, wanted: Callable[[Line], bool], draw: Callable[[bytes], None]) -> None:
    from ambidex.audit.log import parsed

    try:
        while True:
            for raw in log.read(after):
                line = parsed(raw)
                after = line.seq
                if wanted(line):
                    draw(raw)
            time.sleep(_POLL_SECONDS)
    except KeyboardInterrupt:
        return


def _say_raw(raw: bytes) -> None:
    say(raw.decode())


def _drawer() -> Callable[[bytes], None]:
    """Prints a line for a person: coloured on a terminal, plain in a pipe."""
    from ambidex.audit.log import parsed

    if not on_terminal(sys.stdout):
        return lambda raw: say("  ".join(cells(parsed(raw))))
    return lambda raw: say("  ".join(coloured(parsed(raw))))


def cells(line: Line) -> list[str]:
    """Time, event, what it is about, how it went, who: nothing in them can move a cursor."""
    where = (line.user, line.session[:8], line.mode or "", f"turn {line.turn}" if line.turn else "")
    parts = [line.at, line.event.ljust(24), line.tool or line.name or "-", outcome(line), " ".join(filter(None, where))]
    return [_printable(part) for part in parts]


def outcome(line: Line) -> str:
    """How it ended, in a few words."""
    result = line.error_type or ("ok" if line.ok else "-" if line.ok is None else "failed")
    rule = f"by {line.rule}" if line.rule else ""
    took = "" if line.duration is None else f"{line.duration:.0f} ms"
    return " ".join(filter(None, (str(result), rule, took)))


def coloured(line: Line) -> list[str]:
    at, event, about, result, where = cells(line)
    colour = "red" if line.error_type else "green" if line.ok else "yellow" if "confirmation" in event else None
    return [click.style(at, dim=True), click.style(event, fg=colour), click.style(about, bold=True), result, where]


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)


def _tell(verdict: Verdict, *, as_json: bool) -> None:
    bad = verdict.first_bad
    if as_json:
        about = {"lines": verdict.lines, "end": verdict.end}
        place = {"file": bad.file, "line": bad.line, "seq": bad.seq} if bad else None
        say_json({"ok": verdict.ok, **about, "firstBad": place, "reason": verdict.reason or None})
    elif bad is None:
        say(f"the audit is whole: {plural(verdict.lines, 'line')}, the last is {verdict.end}")
    else:
        say(f"{shown(Path(bad.file))}:{bad.line}: {verdict.reason}")
        note(f"{plural(verdict.lines, 'line')} before it are good")


def _tell_replay(session: str, calls: Sequence[Replayed], *, as_json: bool) -> None:
    different = [call for call in calls if call.differs]
    left_out = [call for call in calls if call.not_replayable]
    if as_json:
        import msgspec

        about = {"ok": not different, "session": session, "calls": len(calls)}
        say_json({**about, **msgspec.to_builtins({"differences": different, "notReplayable": left_out})})
        return
    if different:
        say(columns([_difference(call) for call in different]))
    for call in left_out:
        note(f"not replayable: {_printable(' '.join(_named(call)))}: {call.not_replayable}")
    decided = plural(len(calls) - len(left_out), "call")
    note(f"{decided} decided again: {plural(len(different), 'difference') if different else 'no difference'}")


def _named(call: Replayed) -> tuple[str, ...]:
    return (f"turn {call.turn}", call.tool or "-", call.call_id or "-")


_WORDS = {"run": "ran", "ask": "asked", "refuse": "refused", "duplicate": "repeat"}


def _difference(call: Replayed) -> tuple[str, ...]:
    """Which call, what was decided, what would be, and why."""
    was = " by ".join(filter(None, (_WORDS[call.was], call.was_rule)))
    would = " by ".join(filter(None, (call.would or "", call.would_rule)))
    return tuple(map(_printable, (*_named(call), f"{was} → {would}", call.message)))
