"""What every store promises, tried on each of them."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.stores.backends import BACK_ENDS, NOTES, NUMBERS, HandClock, Note

from ambidex.stores.base import Space, Store, Tx
from ambidex.stores.clock import Moment
from ambidex.stores.errors import StoreUnavailable

ODD_KEYS = [
    *["", "a", "a\x00", "a\x00b", "a/b", "a%2Fb", "aa", "b"],
    *["ab\ud7ff", "ab\ue000", "é", "𝔞", "\uffff", "\U0010ffff", "\U0010ffffz"],
]

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=3)
keys = st.one_of(st.sampled_from(ODD_KEYS), texts)
spaces = st.sampled_from([NUMBERS, Space("others", int)])


class Stop(Exception):
    """Raised by operations that must leave no trace."""


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture(params=BACK_ENDS)
def store(request: pytest.FixtureRequest, tmp_path: Path, clock: HandClock) -> Iterator[Store]:
    store = BACK_ENDS[request.param](tmp_path, clock)
    yield store
    store.close()


def put_all(store: Store, values: dict[str, int], space: Space[int] = NUMBERS) -> None:
    def operation(tx: Tx) -> None:
        for key, value in values.items():
            tx.put(space, key, value)

    store.run(operation)


def contents(store: Store, space: Space[Any] = NUMBERS) -> dict[str, Any]:
    return dict(store.run(lambda tx: tx.scan(space)))


class TestOperations:
    def test_what_was_put_is_there_in_the_next_operation(self, store: Store) -> None:
        put_all(store, {"a": 1})
        assert store.run(lambda tx: tx.get(NUMBERS, "a")) == 1

    def test_an_operation_reads_its_own_writes(self, store: Store) -> None:
        def operation(tx: Tx) -> list[Any]:
            tx.put(NUMBERS, "a", 1)
            tx.put(NUMBERS, "a", 2)
            tx.put(NUMBERS, "b", 3)
            tx.delete(NUMBERS, "b")
            return [tx.get(NUMBERS, "a"), tx.get(NUMBERS, "b"), tx.scan(NUMBERS)]

        assert store.run(operation) == [2, None, [("a", 2)]]

    def test_an_absent_key_is_none_and_deleting_it_does_nothing(self, store: Store) -> None:
        store.run(lambda tx: tx.delete(NUMBERS, "a"))
        assert store.run(lambda tx: tx.get(NUMBERS, "a")) is None

    def test_spaces_do_not_share_keys(self, store: Store) -> None:
        put_all(store, {"a": 1})
        put_all(store, {"a": 2}, Space("numbers2", int))
        assert contents(store) == {"a": 1}

    @pytest.mark.parametrize("lasting", [True, False])
    def test_the_answer_of_the_operation_is_the_answer_of_run(self, store: Store, lasting: bool) -> None:
        assert store.run(lambda tx: "answer", lasting=lasting) == "answer"

    def test_an_operation_cannot_run_another_and_leaves_nothing(self, store: Store) -> None:
        def outer(tx: Tx) -> None:
            tx.put(NUMBERS, "a", 1)
            store.run(lambda inner: inner.put(NUMBERS, "b", 2))

        with pytest.raises(RuntimeError, match="cannot run another"):
            store.run(outer)
        assert contents(store) == {}

    @pytest.mark.parametrize(
        "use",
        [
            lambda tx: tx.get(NUMBERS, "a"),
            lambda tx: tx.put(NUMBERS, "a", 1),
            lambda tx: tx.delete(NUMBERS, "a"),
            lambda tx: tx.scan(NUMBERS),
        ],
    )
    def test_a_transaction_ends_with_its_operation(self, store: Store, use: Callable[[Tx], object]) -> None:
        kept: list[Tx] = []
        store.run(kept.append)
        with pytest.raises(RuntimeError, match="has ended"):
            use(kept[0])
        assert contents(store) == {}

    def test_a_closed_store_refuses_and_can_be_closed_again(self, store: Store) -> None:
        store.close()
        store.close()
        with pytest.raises(StoreUnavailable, match="closed"):
            store.run(lambda tx: tx.get(NUMBERS, "a"))


class TestAtomicity:
    @pytest.mark.parametrize("failure", [Stop, KeyboardInterrupt])
    def test_an_exception_undoes_everything_and_goes_on(self, store: Store, failure: type[BaseException]) -> None:
        before = {"kept": 1, "changed": 2, "deleted": 3, "deleted and put": 4, "put and deleted": 5}
        put_all(store, before)

        def operation(tx: Tx) -> None:
            tx.put(NUMBERS, "new", 10)
            tx.put(NUMBERS, "changed", 20)
            tx.put(NUMBERS, "changed", 21)
            tx.delete(NUMBERS, "deleted")
            tx.delete(NUMBERS, "deleted and put")
            tx.put(NUMBERS, "deleted and put", 40)
            tx.put(NUMBERS, "put and deleted", 50)
            tx.delete(NUMBERS, "put and deleted")
            tx.put(NOTES, "new", Note("in another space"))
            raise failure

        with pytest.raises(failure):
            store.run(operation)
        assert contents(store) == before
        assert contents(store, NOTES) == {}

    def test_a_failed_operation_does_not_keep_the_next_from_running(self, store: Store) -> None:
        def failing(tx: Tx) -> None:
            raise Stop

        with pytest.raises(Stop):
            store.run(failing)
        put_all(store, {"a": 1})
        assert contents(store) == {"a": 1}

    def test_a_key_that_utf8_cannot_carry_is_refused_and_undoes_the_rest(self, store: Store) -> None:
        with pytest.raises(ValueError):
            put_all(store, {"a": 1, "half a pair \ud800": 2})
        assert contents(store) == {}

    def test_threads_that_add_to_one_number_lose_nothing(self, store: Store) -> None:
        def add(tx: Tx) -> None:
            tx.put(NUMBERS, "sum", (tx.get(NUMBERS, "sum") or 0) + 1)

        def work() -> None:
            for _ in range(50):
                store.run(add, lasting=False)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert contents(store) == {"sum": 200}

    def test_another_thread_sees_nothing_of_an_operation_that_then_fails(self, store: Store) -> None:
        halfway, go_on = threading.Event(), threading.Event()
        seen: list[dict[str, Any]] = []

        def failing(tx: Tx) -> None:
            tx.put(NUMBERS, "a", 1)
            halfway.set()
            go_on.wait()
            raise Stop

        def fail() -> None:
            with pytest.raises(Stop):
                store.run(failing)

        writer = threading.Thread(target=fail)
        reader = threading.Thread(target=lambda: seen.append(contents(store)))
        writer.start()
        halfway.wait()
        reader.start()
        go_on.set()
        writer.join()
        reader.join()
        assert seen == [{}]


class TestScan:
    def test_keys_come_in_the_order_of_their_code_points(self, store: Store) -> None:
        put_all(store, {key: place for place, key in enumerate(reversed(ODD_KEYS))})
        assert [key for key, _ in store.run(lambda tx: tx.scan(NUMBERS))] == sorted(ODD_KEYS)

    @pytest.mark.parametrize("prefix", ["", "a", "a/", "ab\ud7ff", "\U0010ffff", "nothing"])
    def test_a_prefix_selects_exactly_the_keys_that_begin_with_it(self, store: Store, prefix: str) -> None:
        put_all(store, dict.fromkeys(ODD_KEYS, 1))
        found = [key for key, _ in store.run(lambda tx: tx.scan(NUMBERS, prefix))]
        assert found == sorted(key for key in ODD_KEYS if key.startswith(prefix))

    def test_pages_of_any_size_together_give_everything_once(self, store: Store) -> None:
        put_all(store, dict.fromkeys(ODD_KEYS, 1))
        for size in (1, 2, 7):
            found: list[str] = []
            while page := store.run(
                lambda tx: tx.scan(NUMBERS, after=found[-1] if found else None, limit=size)  # noqa: B023
            ):
                assert len(page) <= size
                found += [key for key, _ in page]
            assert found == sorted(ODD_KEYS)

    def test_a_limit_of_zero_gives_nothing(self, store: Store) -> None:
        put_all(store, {"a": 1})
        assert store.run(lambda tx: tx.scan(NUMBERS, limit=0)) == []

    def test_after_may_be_a_key_that_is_not_there_or_lies_before_the_prefix(self, store: Store) -> None:
        put_all(store, {"a": 1, "c": 2, "ca": 3})
        assert store.run(lambda tx: tx.scan(NUMBERS, after="b")) == [("c", 2), ("ca", 3)]
        assert store.run(lambda tx: tx.scan(NUMBERS, "c", after="a")) == [("c", 2), ("ca", 3)]

    def test_a_scan_after_more_writes_sees_them(self, store: Store) -> None:
        put_all(store, {"b": 1, "d": 1})
        assert list(contents(store)) == ["b", "d"]
        put_all(store, {"a": 1, "c": 1, "e": 1})
        store.run(lambda tx: tx.delete(NUMBERS, "d"))
        assert list(contents(store)) == ["a", "b", "c", "e"]

    def test_what_a_scan_gave_does_not_change_with_the_store(self, store: Store) -> None:
        put_all(store, {"a": 1})

        def operation(tx: Tx) -> list[tuple[str, int]]:
            found = tx.scan(NUMBERS)
            tx.put(NUMBERS, "b", 2)
            return found

        assert store.run(operation) == [("a", 1)]


class TestValues:
    @pytest.mark.parametrize(
        ("space", "value"),
        [
            (Space("s", str), "naïve \x00 𝔞"),
            (Space("s", str), ""),
            (Space("s", bytes), b"\x00\xff"),
            (Space("s", bytes), b""),
            (Space("s", int), 0),
            (Space("s", int), 2**63 - 1),
            (Space("s", int), -(2**63)),
            (NOTES, Note("only what is required")),
            (NOTES, Note("all", 3, b"\x00", 0.1, ("a", "b"), {"x": 1}, Moment(1, 2, "boot"))),
        ],
    )
    def test_a_value_comes_back_equal_and_of_its_type(self, store: Store, space: Space[Any], value: Any) -> None:
        store.run(lambda tx: tx.put(space, "key", value))
        got = store.run(lambda tx: tx.get(space, "key"))
        assert got == value
        assert type(got) is type(value)
        assert store.run(lambda tx: tx.scan(space)) == [("key", value)]


class TestTime:
    def test_now_is_the_stores_clock_and_stands_still_within_an_operation(self, store: Store, clock: HandClock) -> None:
        def operation(tx: Tx) -> tuple[Moment, Moment]:
            first = tx.now
            clock.mono += 500
            return first, tx.now

        began = clock.moment()
        assert store.run(operation) == (began, began)
        assert store.run(lambda tx: tx.now.mono) == began.mono + 500
        assert store.clock is clock


puts = st.tuples(st.just("put"), spaces, keys, st.integers(0, 9))
deletes = st.tuples(st.just("delete"), spaces, keys, st.none())
gets = st.tuples(st.just("get"), spaces, keys, st.none())
bounds = st.fixed_dictionaries({"after": st.none() | keys, "limit": st.none() | st.integers(0, 4)})
scans = st.tuples(st.just("scan"), spaces, texts, bounds)
operations = st.tuples(st.lists(st.one_of(puts, deletes, gets, scans), max_size=8), st.booleans())
Model = dict[str, dict[str, int]]


def expected(model: Model, step: tuple[Any, ...]) -> Any:
    """The same step on plain dictionaries."""
    what, space, key, extra = step
    values = model.setdefault(space.name, {})
    if what == "put":
        values[key] = extra
    elif what == "delete":
        values.pop(key, None)
    elif what == "get":
        return values.get(key)
    else:
        after, limit = extra["after"], extra["limit"]
        found = [k for k in sorted(values) if k.startswith(key) and (after is None or k > after)]
        return [(k, values[k]) for k in found[:limit]]
    return None


def actual(tx: Tx, step: tuple[Any, ...]) -> Any:
    what, space, key, extra = step
    if what == "put":
        return tx.put(space, key, extra)
    if what == "delete":
        return tx.delete(space, key)
    return tx.get(space, key) if what == "get" else tx.scan(space, key, **extra)


@pytest.mark.parametrize("name", BACK_ENDS)
@settings(max_examples=100, deadline=None)
@given(history=st.lists(operations, max_size=8))
def test_any_history_leaves_what_plain_dictionaries_would_hold(
    name: str, history: list[tuple[list[tuple[Any, ...]], bool]]
) -> None:
    model: Model = {}
    with tempfile.TemporaryDirectory() as folder:
        store = BACK_ENDS[name](Path(folder), None)
        for steps, fails in history:
            trial = {space: dict(values) for space, values in model.items()}

            def operation(tx: Tx, steps: Any = steps, trial: Model = trial, fails: bool = fails) -> None:
                for step in steps:
                    assert actual(tx, step) == expected(trial, step)
                if fails:
                    raise Stop

            if fails:
                with pytest.raises(Stop):
                    store.run(operation, lasting=False)
            else:
                store.run(operation, lasting=False)
                model = trial
            for space in (NUMBERS, Space("others", int)):
                assert contents(store, space) == dict(sorted(model.get(space.name, {}).items()))
        store.close()
