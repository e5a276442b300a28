"""Solver processes: a fixed number of workers, each killed and replaced when it goes past its limit.

A request has a number that its answer repeats, so that nothing else is taken for its answer. A worker that is between two
requests can wait for the next pool: loading a solver takes longer than most proofs.

Limits are of the time that a solver computes. Where others take the processors it may wait longer, so that what is proved on
an idle machine is proved on a busy one.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import json
import os
import queue
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

ANSWERS = {word: word for word in ("unsat", "sat", "unknown")}
GRACE_SECONDS = 0.7  # what a solver may take beyond its own limit before it is killed
KEPT = 2  # workers that wait for the next pool
PATIENCE = 4  # how many times its limit a solver may take where others compute
LOOKS = 0.2  # seconds between looks at a solver that is past its limit
SHARE = 0.9  # a solver that stopped at its limit with less of it computed had to share a processor
REQUESTS = 2000  # after so many a worker is replaced: solvers do not give back all of their memory

_NUMBERS = itertools.count()


@dataclass(frozen=True, slots=True)
class Answer:
    """What a solver said: "unsat", "sat" or "unknown" with the reason, the time it computed in seconds, the proof or the
    core if asked for.
    """

    answer: str
    reason: str
    seconds: float
    proof: str = ""
    core: tuple[int, ...] = ()


class SolverProcess:
    """One worker; restarted when it dies."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.asking = False
        self.asked = 0

    def start(self) -> subprocess.Popen[bytes]:
        """The running worker."""
        if self.process is None or self.process.poll() is not None:
            self.asking, self.asked = False, 0
            self.process = subprocess.Popen(
                [sys.executable, "-m", "metalift.prove.solver_worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        return self.process

    def ask(self, smt: str, timeout: float, solver: str) -> Answer:
        """Ask for the satisfiability of a script; `timeout` in seconds."""
        began = time.perf_counter()
        answer = self.ask_once(smt, timeout, solver)
        spent = time.perf_counter() - began
        if answer.answer == "unknown" and spent >= timeout * SHARE > answer.seconds > 0:  # solvers count what passes
            longer = self.ask_once(smt, timeout * min(PATIENCE, spent / answer.seconds), solver)
            return replace(longer, seconds=answer.seconds + longer.seconds)
        return answer

    def ask_once(self, smt: str, timeout: float, solver: str) -> Answer:
        """As `ask`, with all that passes counted by the solver itself."""
        began = time.perf_counter()
        number = next(_NUMBERS)
        request = {"number": number, "solver": solver, "smt": smt, "timeout_ms": max(1, int(timeout * 1000))}
        try:
            process = self.start()
            computed = _computed(process.pid)
            self.asking = True
            self.asked += 1
            limit = timeout + GRACE_SECONDS
            written = self.write_line(process, json.dumps(request).encode() + b"\n", began + limit)
            line = self.read_line(process, began, limit, computed) if written else None
        except OSError as problem:
            self.kill()
            return Answer("unknown", f"the solver process failed: {problem}", time.perf_counter() - began)
        if line is None:
            used = _computed(process.pid)
            spent = used.seconds - computed.seconds if used and computed else time.perf_counter() - began
            self.kill()
            return Answer("unknown", f"timeout after {timeout:g} s", spent)
        if not line:
            code = process.wait()
            self.kill()
            return Answer("unknown", f"the solver died (status {code})", time.perf_counter() - began)
        try:
            reply = json.loads(line)
            if reply["number"] != number:
                raise ValueError("the answer to another request")
            answer, proof = ANSWERS[reply["answer"]], str(reply.get("proof", ""))
            core = tuple(int(number) for number in reply.get("core", ()))
            made = Answer(answer, str(reply["reason"]), float(reply["seconds"]), proof, core)
            self.asking = False
            return made
        except (ValueError, KeyError, TypeError):
            self.kill()  # what it writes next could be taken for another script's answer
            return Answer("unknown", "the solver process wrote something that is no answer", time.perf_counter() - began)

    def write_line(self, process: subprocess.Popen[bytes], data: bytes, deadline: float) -> bool:
        """Whether all was written before the deadline; a worker that does not read must not hold its caller."""
        assert process.stdin is not None
        descriptor = process.stdin.fileno()
        os.set_blocking(descriptor, False)
        while data:
            left = deadline - time.perf_counter()
            if left <= 0 or not select.select([], [descriptor], [], left)[1]:
                return False
            data = data[os.write(descriptor, data) :]
        return True

    def read_line(self, process: subprocess.Popen[bytes], began: float, limit: float, computed: _Computed | None) -> bytes | None:
        """One line; empty at the end of the output, None when the worker had its time since it had computed so much."""
        assert process.stdout is not None
        descriptor = process.stdout.fileno()
        data = b""
        while not data.endswith(b"\n"):
            left = began + limit - time.perf_counter()
            if not select.select([descriptor], [], [], max(left, LOOKS))[0]:
                spent = time.perf_counter() - began
                if spent >= limit and not (spent < PATIENCE * limit and _waits(process.pid, computed, limit)):
                    return None
                continue
            chunk = os.read(descriptor, 1 << 16)
            if not chunk:
                return b""
            data += chunk
        return data

    def kill(self) -> None:
        """End the worker at once."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            for stream in (self.process.stdin, self.process.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        stream.close()
            self.process = None


@dataclass(frozen=True, slots=True)
class _Computed:
    """The time that a process has computed, in seconds, and whether it computes or would if it had a processor."""

    seconds: float
    runs: bool


def _computed(pid: int) -> _Computed | None:
    """What a process has computed; None where the system does not say."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return _Computed((int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), fields[0] == "R")
    except (OSError, ValueError, IndexError):
        return None


def _waits(pid: int, before: _Computed | None, limit: float) -> bool:
    """Whether a process would compute and had less than its time, because others compute."""
    now = _computed(pid)
    return now is not None and before is not None and now.runs and now.seconds - before.seconds < limit


def start_early() -> None:
    """Have workers load their solvers while this process imports what it needs; the next pool that keeps its own takes them."""
    with SolverPool(KEPT, keep=True) as pool:
        pool.warm_up()


_WAITING: list[SolverProcess] = []
_LOCK = threading.Lock()


class SolverPool:
    """Some workers, shared by threads. Use as a context manager: leaving it ends all of them.

    With `keep`, those that have answered all they were asked wait for the next such pool of this process, until it ends.
    """

    def __init__(self, workers: int = 2, *, keep: bool = False) -> None:
        self.keep = keep
        self.workers = _taken(workers) if keep else []
        self.workers += [SolverProcess() for _ in range(workers - len(self.workers))]
        self.idle: queue.SimpleQueue[SolverProcess] = queue.SimpleQueue()
        for worker in self.workers:
            self.idle.put(worker)

    def __enter__(self) -> SolverPool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def warm_up(self) -> None:
        """Start the workers before they are needed; loading a solver takes longer than most proofs."""
        for worker in self.workers:
            worker.start()

    @contextlib.contextmanager
    def worker(self) -> Iterator[SolverProcess]:
        """An idle worker, waited for."""
        chosen = self.idle.get()
        try:
            yield chosen
        finally:
            self.idle.put(chosen)

    def ask(self, smt: str, timeout: float, solver: str = "cvc5") -> Answer:
        """Ask any idle worker."""
        with self.worker() as worker:
            return worker.ask(smt, timeout, solver)

    def close(self) -> None:
        """End all workers, or those that cannot be kept."""
        for worker in self.workers:
            if not (self.keep and _kept(worker)):
                worker.kill()
        self.workers = []


def _taken(most: int) -> list[SolverProcess]:
    """Workers that waited, those that were used last first."""
    with _LOCK:
        return [_WAITING.pop() for _ in range(min(most, len(_WAITING)))]


def _kept(worker: SolverProcess) -> bool:
    """Whether the worker waits from now on: it is between two requests, and there is room."""
    with _LOCK:
        ready = worker.process is not None and worker.process.poll() is None and not worker.asking and worker.asked < REQUESTS
        if ready and len(_WAITING) < KEPT:
            _WAITING.append(worker)
            return True
        return False


@atexit.register
def _end_waiting() -> None:
    for worker in _taken(KEPT):
        worker.kill()


os.register_at_fork(after_in_child=_WAITING.clear)  # the parent's: two processes must not talk to one worker
