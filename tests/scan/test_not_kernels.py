"""Files that are not kernels, as people write them: each function is named with what stands in the way, and few are proved."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift.app.batch import run as batch
from metalift.app.scan.rows import Scan, Status
from metalift.app.scan.run import Options, scan

SOURCES = Path(__file__).parent / "sources"
PROVED = {"put_unsigned_line12", "format_line32", "format_line36"}  # which copy digits, from the last to the first
PROVED |= {"put_unsigned", "hash", "is_number", "count_numbers"}  # with loops that stay: what they compute has no formula
REASONS = {
    "arguments.py": {"parse": "a field that is set and is no number", "usage": "not seen which keys they have", "main": "try"},
    "event_loop.py": {
        "Loop.__init__": "a method of the class Loop",
        "Loop.call_at": "the type 'list[tuple[float, int, Callable",
        "Loop.spawn": "'self' in a function inside of Loop.spawn",
        "Loop.spawn.resume": "a function inside of Loop.spawn",
        "Loop.run": "the type 'list[tuple[float, int, Callable",
        "ticker": "a generator (yield)",
        "fetch": "a coroutine",
        "fetch_all": "a coroutine",
    },
    "expression.cpp": {
        "Parser::parse": "recursion",
        "Parser::sum": "recursion",
        "Parser::product": "recursion",
        "Parser::atom": "recursion",
        "evaluate": "recursion",
    },
    "format.c": {
        "put_unsigned": "is decided by data",
        "format": "a variable number of arguments",
        "print_table": "only prints",
    },
    "hash_table.c": {
        "hash": "the loop's condition",
        "table_new": "a result of type struct table *",
        "table_find": "the field t->buckets",
        "grow": "the field t->buckets",
        "table_put": "a call of strdup",
        "table_free": "the field t->buckets",
    },
    "json_parser.c": {
        "skip_blanks": "a change of the pointer in->at",
        "make": "a result of type struct value *",
        "parse_string": "a change of the pointer in->at",
        "parse_array": "recursion",
        "parse_value": "recursion",
        "parse": "recursion",
    },
    "linked_list.c": {
        "push": "a result of type struct node *",
        "total": "as in a list or a tree",
        "reverse": "as in a list or a tree",
        "insert_sorted": "a change of the pointer new->next",
        "drop": "as in a list or a tree",
    },
    "lru_cache.cpp": {
        "LruCache::LruCache": "std::list",
        "LruCache::get": "a call of std::",
        "LruCache::put": "a call of",
        "look_up": "a call of std::",
    },
    "state_machine.c": {"is_number": "is decided by data", "count_numbers": "is decided by data"},
    "thread_pool.cpp": {
        "ThreadPool::ThreadPool": "dynamic memory (new)",
        "ThreadPool::~ThreadPool": "a call of pthread_mutex_lock",
        "ThreadPool::work": "a std::function",
        "ThreadPool::submit": "a call of pthread_mutex_lock",
        "run_all": "a std::function",
    },
}


@pytest.fixture(scope="module")
def read() -> Scan:
    """All of them, as far as they can be read."""
    return scan(SOURCES, Options())


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Scan:
    """All of them, with what can be lifted lifted."""
    return scan(SOURCES, Options(lifting=batch.Options(("numpy",), tmp_path_factory.mktemp("out"))))


@pytest.mark.parametrize("file", sorted(path.name for path in SOURCES.iterdir() if path.is_file()))
def test_each_function_is_named_with_its_reason(read: Scan, file: str) -> None:
    rows = {row.name: row for row in read.rows if Path(row.file).name == file and not row.nest}
    assert {name for name, row in rows.items() if row.status is not Status.CANDIDATE} == set(REASONS[file])
    for name, reason in REASONS[file].items():
        assert rows[name].status in (Status.UNSUPPORTED, Status.NOT_LIFTED), rows[name]
        assert reason in rows[name].reason, rows[name]
        assert rows[name].line > 0


def test_nothing_is_claimed_that_does_not_hold(found: Scan) -> None:
    assert found.files == len(REASONS) == 10
    assert [row for row in found.rows if row.status is Status.FAILED] == []
    proved = {row.name for row in found.rows if row.status in (Status.PROVED, Status.TESTED)}
    assert proved <= PROVED
    assert {row.name for row in found.rows if row.status is Status.CANDIDATE} == {"step", "Parser::Parser"}  # no loops
    assert all(row.reason for row in found.rows if not row.status.good)
