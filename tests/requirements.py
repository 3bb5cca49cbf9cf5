"""What is owed, by id: every threat and fault that Ambidex has to withstand, and what must happen then.

A test shows a row by its mark: `@pytest.mark.threat("C06")`. `tests/test_requirements.py` asks for one test at least of
every row that is due, and `docs/threats.md` is made from both.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parent

AREAS = {
    "C": "Confirmation",
    "I": "Idempotency, retries, timeouts",
    "K": "Crashes and the shared store",
    "B": "Turns, budgets, loops, clamps",
    "S": "Sessions, modes, state, intents",
    "T": "Gateway and transports",
    "V": "Parsing and validation",
    "A": "Build and artifact",
    "H": "Handlers and content",
    "L": "Audit, logs, metrics",
}

OWED = {
    "C01": "An approval secret never appears where a model can read it, and none that a model sends is redeemed.",
    "C02": "A model that claims consent, in an argument or in words, gets nothing run.",
    "C03": "Approval secrets are 256 bits of the system's generator, and only their hashes are stored.",
    "C04": "What was approved runs: the stored arguments, whatever comes along with the approval.",
    "C05": "The preview shows every argument that will run, and nothing in it can hide or pose as something else.",
    "C06": "However often an approval is sent, the call runs once and every answer is the same.",
    "C07": "Approvals at the same moment, from several processes, lead to one run.",
    "C08": "Of an approval and a rejection at the same moment the first counts, and the other is told so.",
    "C09": "An approval that comes too late runs nothing, by the store's clock and to the millisecond.",
    "C10": "Another user's approval, or one from another conversation, looks like a request that does not exist.",
    "C11": "Mode, session, block, tool and schema are looked at again when the approval comes.",
    "C12": "The same call asks once while it waits, and few requests wait or are made in an hour.",
    "C13": "A pending request survives a restart.",
    "C14": "The outcome of an approved call is told as a new item, never as a second answer to its call.",
    "C15": "A spoken yes counts only for tools that allow it, only after the preview was heard, by fixed rules.",
    "C16": "No entry runs a gated tool without its confirmation.",
    "I01": "Duplicates at the same moment, in several processes, lead to one run; the others wait for its answer.",
    "I02": "A call id that comes again with other arguments is refused, and what was recorded stays.",
    "I03": "Without ids, calls are told apart by what they ask; how an id is spelled never matters.",
    "I04": "An id that is used again in another turn with other arguments is refused; conversations are apart.",
    "I05": "Events that are delivered again after a reconnect run nothing new.",
    "I06": "A refusal, or a failure that left nothing behind, does not stand in the way of the next try.",
    "I07": "A write is tried again only where the far side makes that harmless, always under the same key.",
    "I08": "Retries are few, wait longer each time, respect what the far side asks, and end with the deadline.",
    "I09": "A write whose time was up is in doubt until its late end settles it; it never runs again by itself.",
    "I10": "A cancellation stops what may be stopped; anything else ends, is recorded and stays unsaid.",
    "I11": "Keys of writes outlive retention; a full store refuses new writes and still serves reads.",
    "I12": "A recorded answer is never given to another user.",
    "I13": "The intents of a recorded answer are applied once.",
    "I14": "Defaults, clamps, number forms and Unicode forms neither split nor merge keys.",
    "I15": "The same write twice in a turn is a duplicate unless the tool says otherwise; in a later turn it is new.",
    "K01": "A crash before the claim leaves nothing, and the next try runs.",
    "K02": "A crash between claim and effect is run again, or said to be in doubt where that could do harm.",
    "K03": "A crash between effect and finish never doubles the effect, and is told in plain words.",
    "K04": "A worker that wakes after its lease was taken can write neither result nor intents nor audit.",
    "K05": "A clock that jumps frees no lease and no block, and expires nothing, early.",
    "K06": "Without the store nothing is written and nobody is asked; what only looks goes on within budgets.",
    "K07": "The store's durability is checked at start, and a row that vanished while its call ran is noticed.",
    "K08": "Every call that was claimed has a final audit line, after recovery at the latest.",
    "K09": "However many recover at the same time, each row is handled once.",
    "K10": "A program refuses a store of another version, in both directions.",
    "B01": "Budgets count over all messages of a model in one turn.",
    "B02": "A reconnect gives no fresh budget.",
    "B03": "Calls at the same moment cannot pass the budget together.",
    "B04": "The limit on look-ups and the limit on all calls both hold, in both modes.",
    "B05": "Duplicates are free; refused calls are counted apart, and after ten the turn's tool use is over.",
    "B06": "A tool cannot dodge its budget by calling itself something else; questions about tools have a cap.",
    "B07": "Clamping happens before the handler, and is told with both values.",
    "B08": "A clamp cannot be passed by type or by name.",
    "B09": "A loop is seen through changes of case, space and invisible characters, or bounded by the budget.",
    "B10": "Only accepted user input begins a turn.",
    "B11": "A slow call is told and still answered; the deadline is another matter.",
    "S01": "The mode is given when a session is made, and nothing changes it.",
    "S02": "Tools of another mode are neither declared nor run.",
    "S03": "Ids of sessions cannot be guessed, and having one proves nothing.",
    "S04": "Of two connections to a session the newest counts; the older one can do nothing more.",
    "S05": "A ticket from text to voice works once, shortly, for its user; the request in it is the user's words.",
    "S06": "A blocked user gets in by no reconnect, mode or device.",
    "S07": "A block stands before the client hears of it, so closing the socket first does not help.",
    "S08": "Blocks end at the later of two ends, an incident counts once, and a day is the longest.",
    "S09": "A farewell is heard before its own intents silence the session.",
    "S10": "An intent that a tool did not declare fails the call.",
    "S11": "An intent that is malformed or unknown is refused, not overlooked.",
    "S12": "A failing call applies only the intents that its tool declared for failures.",
    "S13": "Every change of state is checked against the state machine and recorded with before and after.",
    "S14": "A session keeps the registry that it began with.",
    "S15": "A lost connection to a provider is resumed or begun anew, and no result goes out twice.",
    "S16": "Handlers cannot change what they are shown of a session.",
    "T01": "Requests from foreign pages, and under foreign names, are refused before any upgrade.",
    "T02": "Tokens stand in no address and in no log.",
    "T03": "Frames beyond their size end the connection, in fragments too.",
    "T04": "Floods, idle sockets and half-open ones harm nobody else.",
    "T05": "A slow reader costs bounded memory: old audio is dropped, control never.",
    "T06": "A malformed event of a provider is answered or ignored by rule.",
    "T07": "Arguments that are not one JSON object are answered for that call; its siblings run.",
    "T08": "In a batch each call gets exactly one answer.",
    "T09": "No answer goes out to a call that was never made, and none twice.",
    "T10": "What a model sees of an envelope has no internals in it.",
    "T11": "When the client of a stream vanishes, no task is left behind.",
    "T12": "A shutdown ends what runs within the grace time and writes every final record.",
    "V01": "Deep nesting is refused before anything recursive runs, in arguments and in results.",
    "V02": "Arguments are bounded; a large result is cut to valid JSON and marked, a huge one is an error.",
    "V03": "NaN, infinities and integers beyond 64 bits are refused.",
    "V04": "A key that occurs twice is refused.",
    "V05": "Broken text never reaches hash, store or audit.",
    "V06": "Patterns run in linear time, and `$` means the end.",
    "V07": "Formats are enforced.",
    "V08": "References are local and end; unbounded uniqueness is warned about.",
    "V09": "A boolean is no integer, 1.0 is 1, and a default is fresh for every call.",
    "V10": "Names that reach into a language's objects are refused.",
    "V11": "A validation message names rule and limit, never the text that was sent.",
    "V12": "A tool's name matches exactly or not at all.",
    "V13": "Dates have a zone, a year of four digits and an order, and gaps in the clock are handled.",
    "A01": "An artifact that was altered anywhere is refused.",
    "A02": "A handler's path stays inside the tools folder.",
    "A03": "A file that changed since the build is refused.",
    "A04": "Links that leave the folder, devices, pipes and huge files are refused.",
    "A05": "A build runs no handler.",
    "A06": "The version covers everything and nothing else.",
    "A07": "Ids are unique, also to those who do not see case, and reserved ones are refused.",
    "A08": "Documentation hides nothing and is not too long.",
    "A09": "Metadata that contradict each other are refused.",
    "A10": "An artifact is written whole or not at all, and a cut one is refused.",
    "A11": "Nothing public changes a locked registry.",
    "H01": "Whatever a handler raises, one envelope comes back and the worker lives.",
    "H02": "Whatever a handler returns, one envelope comes back.",
    "H03": "A handler that answers in the pipeline's name is an internal error.",
    "H04": "Outsiders' text is data; after it entered, writes need the user until the user speaks again.",
    "H05": "Links in results are safe ones, and those of unknown hosts are marked.",
    "H06": "No address that a model or a record gives leads a fetch into the private network.",
    "H07": "Details of people are given when asked for and allowed, by who asks and not by what is asked.",
    "H08": "A handler's context holds no secrets and prints none.",
    "H09": "A handler that hangs does not starve the others, and one that blocks the loop is named.",
    "H10": "A tool that calls a tool goes through the same gates, at most two deep.",
    "L01": "No argument's value and no secret reaches audit, log or trace.",
    "L02": "A record is one line, and nothing in it can move a cursor.",
    "L03": "An audit that was altered, reordered or cut is found out, and the first bad line named.",
    "L04": "A slow or full disk makes the audit's files late and loses nothing.",
    "L05": "Labels of metrics come from closed sets.",
    "L06": "Every decision has a record: who, what, which rule, which registry, which turn.",
}

_LIVE = "it needs the live transports"
LATER = {"C15": _LIVE, "S15": _LIVE}
"""Rows that are not due yet, and why. A row that is due stands in `OWED` only."""

PARTLY = {
    "S04": "a voice session's two sockets",
    "S05": "a ticket redeemed by the voice socket",
    "T01": "the upgrade to the voice socket",
    "T02": "the first message of the voice socket",
    "T03": "audio and control frames",
    "T04": "floods of frames",
    "T05": "audio",
}
"""Rows that are shown as far as HTTP goes, and what of them comes with the voice socket."""


def shown_by(root: Path = TESTS) -> dict[str, list[str]]:
    """Id -> the tests that show it, as `path::name`, in the order of files and lines."""
    found: dict[str, list[str]] = {}
    for path in sorted(root.rglob("test_*.py")):
        place = path.relative_to(root.parent).as_posix()
        for name, row in _marks(ast.parse(path.read_text(encoding="utf-8"))):
            tests = found.setdefault(row, [])
            if f"{place}::{name}" not in tests:
                tests.append(f"{place}::{name}")
    return found


def _marks(module: ast.Module) -> Iterator[tuple[str, str]]:
    """Every test and an id it is marked with: by itself, by its class, by one of its parameters or by the module."""
    everywhere = [row for node in module.body if _is_pytestmark(node) for row in _rows(node)]
    for node in module.body:
        if isinstance(node, ast.ClassDef):
            of_class = [*everywhere, *_decorated(node)]
            for inner in node.body:
                yield from _test_marks(inner, of_class)
        else:
            yield from _test_marks(node, everywhere)


def _test_marks(node: ast.stmt, inherited: list[str]) -> Iterator[tuple[str, str]]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test_"):
        yield from ((node.name, row) for row in [*inherited, *_decorated(node)])


def _is_pytestmark(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and any(
        isinstance(target, ast.Name) and target.id == "pytestmark" for target in node.targets
    )


def _decorated(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    return [row for decorator in node.decorator_list for row in _rows(decorator)]


def _rows(node: ast.AST) -> Iterator[str]:
    """The ids in every `pytest.mark.threat(…)` at or below a node."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and inner.func.attr == "threat":
            yield from (str(id.value) for id in inner.args if isinstance(id, ast.Constant))
