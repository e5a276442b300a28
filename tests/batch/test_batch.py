"""`metalift batch`: nothing that is finished is lost or computed again, and one kernel's trouble is its own."""

from __future__ import annotations

import csv
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from metalift.app.batch import report, run
from metalift.app.batch.events import Event, Finished
from metalift.app.batch.store import NAME, Row, Store, Wanted
from metalift.app.batch.suite import read_suites
from metalift.app.batch.workers import Died, Worker
from metalift.result.errors import UsageError
from tests.support.commands import command, metalift_process

ADD = "void {name}(int *out, const int *a, int n) {{\n    for (int i = 0; i < n; i++) out[i] = a[i] + {number};\n}}\n"
ENTRY = '[[kernel]]\nname = "{name}"\nfile = "{name}.c"\nfunction = "{name}"\n'


def suite(folder: Path, count: int) -> Path:
    folder.mkdir()
    names = [f"add{number}" for number in range(count)]
    for number, name in enumerate(names):
        (folder / f"{name}.c").write_text(ADD.format(name=name, number=number))
    (folder / "manifest.toml").write_text('suite = "adds"\n' + "".join(ENTRY.format(name=name) for name in names))
    return folder


def lines_of(folder: Path, out: Path, *more: str) -> list[str]:
    done = metalift_process("batch", folder, "--out", out, "--jobs", "2", *more)
    return [line for line in done.output.splitlines() if line.startswith("[")]


def test_finished_results_are_kept_and_others_computed(tmp_path: Path) -> None:
    folder, out = suite(tmp_path / "adds", 3), tmp_path / "out"
    first = lines_of(folder, out)
    assert sorted(line.split("] ")[1].split(" in ")[0] for line in first) == [f"adds/add{n}: numpy PROVED" for n in range(3)]
    assert lines_of(folder, out) == []
    source = folder / "add1.c"
    source.write_text(source.read_text().replace("+ 1", "+ 7"))
    assert [line.split("] ")[1].split(":")[0] for line in lines_of(folder, out)] == ["adds/add1"]
    rows = list(csv.DictReader((out / "report.csv").read_text().splitlines()))
    assert [(row["kernel"], row["verdict"], row["ok"]) for row in rows] == [(f"adds/add{n}", "PROVED", "True") for n in range(3)]
    assert (out / "lifted" / "adds" / "add1" / "numpy" / "add1.py").read_text().count("7") >= 1
    assert "3 of 3 proved" in report.status(out)


def test_another_target_leaves_the_certificate_of_the_first(tmp_path: Path) -> None:
    folder, out = suite(tmp_path / "adds", 1), tmp_path / "out"
    for targets in (("numpy",), ("python",)):
        run.run([folder], run.Options(targets, out), lambda event: None)
    programs = [path.relative_to(out).as_posix() for path in sorted(out.rglob("certificates/*/programs/*.txt"))]
    place = "certificates/add0/programs"
    assert programs == [f"lifted/adds/add0/{place}/numpy.txt", f"lifted/adds/add0/python/{place}/python.txt"]


def test_kernels_whose_files_would_be_one_are_refused(tmp_path: Path) -> None:
    folder = suite(tmp_path / "adds", 1)
    entry = ENTRY.format(name="add0").replace('name = "add0"', 'name = "add 0"')
    (folder / "manifest.toml").write_text(entry + entry.replace("add 0", "add_0"))
    with pytest.raises(UsageError, match="one folder"):
        run.run([folder], run.Options(("numpy",), tmp_path / "out"), lambda event: None)


def test_copies_are_kernels_of_their_own_and_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    folder = suite(tmp_path / "adds", 1)
    os.mkfifo(folder / "waits.c")
    entry = ENTRY.format(name="add0")
    (folder / "manifest.toml").write_text(entry + entry.replace('name = "add0"', 'name = "copy"') + ENTRY.format(name="waits"))
    rows = run.run([folder], run.Options(("numpy",), tmp_path / "out", jobs=2), lambda event: None)
    assert [(row.label, row.ok) for row in rows] == [("adds/add0", True), ("adds/copy", True), ("adds/waits", False)]


@pytest.mark.quick()
def test_killed_at_any_moment_it_goes_on_where_it_stopped(tmp_path: Path) -> None:
    folder, out = suite(tmp_path / "adds", 4), tmp_path / "out"
    arguments = command("batch", folder, "--out", out, "--jobs", "1")
    done: set[str] = set()
    for wait in (1, 2):  # lines to wait for before the kill
        process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, start_new_session=True)
        assert process.stdout is not None
        for _ in range(wait):
            line = process.stdout.readline()
            label = line.split("] ")[1].split(":")[0]
            assert label not in done
            done.add(label)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        with sqlite3.connect(out / NAME) as connection:
            kept = {label for (label,) in connection.execute("select label from results")}
        assert done <= kept
        done = kept
    assert len(lines_of(folder, out)) == 4 - len(done)
    assert "4 of 4 proved" in report.status(out)


def test_a_kernel_that_cannot_be_lifted_is_its_own_verdict(tmp_path: Path) -> None:
    folder = suite(tmp_path / "adds", 1)
    (folder / "broken.c").write_text("void broken( {\n")
    (folder / "talks.c").write_text("#include <stdio.h>\nvoid talks(void) { puts(\"<b>|</b>\"); }\n")
    (folder / "manifest.toml").write_text("".join(ENTRY.format(name=name) for name in ("add0", "broken", "absent", "talks")))
    options = run.Options(("numpy",), tmp_path / "out", jobs=2)
    rows = run.run([folder], options, lambda line: None)
    found = {row.label: (row.verdict, row.ok) for row in rows}
    assert found == {
        "adds/add0": ("PROVED", True),
        "adds/broken": ("ERROR", False),
        "adds/absent": ("ERROR", False),
        "adds/talks": ("UNSUPPORTED", False),
    }
    assert all(row.reason for row in rows if not row.ok)
    again: list[Event] = []
    run.run([folder], run.Options(("numpy",), tmp_path / "out", retry=True), again.append)
    assert sum(isinstance(event, Finished) for event in again) == 3  # what was not proved


def test_a_worker_is_killed_by_time_and_by_memory(tmp_path: Path) -> None:
    (tmp_path / "add0.c").write_text(ADD.format(name="add0", number=0))
    job: dict[str, object] = {"path": str(tmp_path / "add0.c"), "function": "add0", "unit": "add0"}
    job |= {"to": ["numpy"], "driver": None}
    job |= {"assume": [], "clang_args": [], "out": str(tmp_path / "out"), "timeout": 10.0}
    worker = Worker()
    try:
        with pytest.raises(Died, match="longer than 0.01 s"):
            worker.serve(job, 0.01, 4 << 30)
        with pytest.raises(Died, match="more than 1 MiB"):
            worker.serve(job, 60.0, 1 << 20)
        assert worker.serve(job, 120.0, 4 << 30)["function"]["verdict"] == "PROVED"
        with pytest.raises(Died, match="ended: KeyError"):
            worker.serve({}, 60.0, 4 << 30)
    finally:
        worker.close()


def test_no_worker_outlives_its_batch(tmp_path: Path) -> None:
    program = "import os\nfrom metalift.app.batch.workers import Worker\nprint(Worker()._started().pid, flush=True)\nos._exit(0)"
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=True)
    pid = int(done.stdout)
    deadline = time.monotonic() + 30
    while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not Path(f"/proc/{pid}").exists()


def test_suites_in_all_forms(tmp_path: Path) -> None:
    folder = suite(tmp_path / "adds", 2)
    listed = tmp_path / "some.txt"
    listed.write_text("# two of them\nadds/add0.c:add0\nadds/add1.c:add1  # the other\n")
    assert [kernel.label for kernel in read_suites([listed])] == ["some/add0.c:add0", "some/add1.c:add1"]
    alone, python = folder / "add0.c", tmp_path / "add0.py"
    python.write_text("def add0(n: int) -> int:\n    return n\n")
    assert [kernel.label for kernel in read_suites([alone])] == ["add0/add0"]
    assert [kernel.label[-13:] for kernel in read_suites([alone, python])] == ["s/add0.c/add0", "/add0.py/add0"]
    (folder / "manifest.toml").unlink()
    (folder / "bad.py").write_text("def f(:\n")
    kernels = read_suites([folder])
    assert [kernel.label for kernel in kernels] == ["add0.c/add0", "add1.c/add1", "bad.py/(the file)"]
    assert kernels[2].problem


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no"),
        ("[[kernel", "cannot be read"),
        ('[[kernel]]\nfile = "a.c"\n', "kernel 1 has no 'function'"),
        ('[[kernel]]\nfile = "../a.c"\nfunction = "f"\n', "outside of the manifest's folder"),
        ('[[kernel]]\nfile = 3\nfunction = "f"\n', "file is of the wrong type"),
        ('[[kernel]]\nfile = "a.c"\nfunction = "f"\nclang_args = ["-fplugin=x.so"]\n', "clang is asked for '-fplugin=x.so'"),
        ('[[kernel]]\nfile = "a.c"\nfunction = "f"\n' * 2, "two kernels are called"),
    ],
)
def test_bad_manifests(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "manifest.toml").write_text(text)
    with pytest.raises(UsageError, match=message):
        read_suites([tmp_path])


def test_an_output_folder_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not the output folder of a batch"):
        report.status(tmp_path)
    (tmp_path / NAME).write_text("no database at all, but some text that is long enough")
    with pytest.raises(UsageError, match="cannot be opened"):
        Store(tmp_path)


def test_the_report_takes_no_text_for_markup(tmp_path: Path) -> None:
    row = Row("k", "s/<script>|x", "numpy", "ERROR", False, 1.0, 0.0, "a|b\n<i>*c*</i>", {})
    (line,) = [line for line in report.markdown([(Wanted("k", row.label, "numpy"), row)]).splitlines() if line.startswith("| s/")]
    assert "<script>" not in line and line.count(" | ") == 6  # between seven cells
