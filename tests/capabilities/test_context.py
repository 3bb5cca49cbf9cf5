"""The context has the members that handlers are promised, and no others; plain calls are plain."""

from __future__ import annotations

from inspect import iscoroutinefunction

from ambidex.capabilities.blocks import Blocks, CallBlocks, MemoryBlocks
from ambidex.capabilities.context import AuditLog, Context, Messaging, Voice
from ambidex.capabilities.registry import RegistrySource, RegistryView
from ambidex.registry.registry import Registry

FACTS = {"user", "mode", "conversation", "session", "tool", "turn", "deadline", "idempotency_key", "config"}
CAPABILITIES = {"messaging", "audit", "voice", "blocks", "registry", "has", "progress", "call_tool", "in_thread"}


def test_a_context_has_what_handlers_are_promised_and_nothing_else() -> None:
    assert {name for name in vars(Context) if not name.startswith("_")} == FACTS | CAPABILITIES


def test_nothing_in_a_context_can_be_set_by_a_handler() -> None:
    members = {name: member for name, member in vars(Context).items() if name in FACTS}
    assert all(isinstance(member, property) and member.fset is None for member in members.values())


def test_four_calls_are_plain_and_all_others_are_awaited() -> None:
    plain = (AuditLog.log, Voice.is_active, Context.has, Context.progress)
    awaited = (
        Messaging.send,
        Voice.ticket,
        CallBlocks.add,
        RegistryView.describe,
        Context.call_tool,
        Context.in_thread,
    )
    assert not any(iscoroutinefunction(call) for call in plain)
    assert all(iscoroutinefunction(call) for call in awaited)


def test_the_back_ends_are_what_the_protocols_ask_for() -> None:
    store: type[Blocks] = MemoryBlocks
    source: type[RegistrySource] = Registry
    for back_end, protocol in ((store, Blocks), (source, RegistrySource)):
        promised = {name for name in vars(protocol) if not name.startswith("_")}
        assert promised <= set(dir(back_end))
