"""The workspace of an agent: which paths it may name, where prompts and answers lie, and commands that run in it."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import anyio
from anyio.abc import ByteReceiveStream, Process

from metalift.llm.exchange import answer_to, file_name
from metalift.result.errors import UsageError
from metalift.system.files import write_text_atomic

BEAT = 2.0  # seconds between two signs that a command still runs
GRACE = 5.0  # seconds that a command has to clean up after it was told to end
BEFORE = 60.0  # seconds ago: an answer of that age is whole


@dataclass(frozen=True, slots=True)
class Workspace:
    """The folder that an agent's paths are in, and the folder in it that results go to. `root` has no links in it."""

    root: Path
    out: str

    def inside(self, path: str) -> str:
        """The path, from the workspace, links resolved: it begins with "./". Raises UsageError where it leads out."""
        try:
            found = (self.root / path).resolve().relative_to(self.root)
        except (ValueError, OSError, RuntimeError):
            raise UsageError(f"{path} is not in the workspace {self.root}: name a path relative to it") from None
        return f"./{found}"

    def named(self, path: str) -> str:
        """FILE, or FILE:FUNCTION or FILE:LINE, with the file in the workspace. Raises UsageError where it is not."""
        file, colon, part = path.rpartition(":")
        return f"{self.inside(file)}:{part}" if colon else self.inside(path)

    def results(self) -> str:
        """The folder for results. Raises UsageError where a link leads out of the workspace."""
        return self.inside(self.out)


@dataclass(frozen=True, slots=True)
class Exchange:
    """Prompts and answers about the functions of one file, as files that `--proposer exchange:FOLDER` writes and reads."""

    folder: Path

    @staticmethod
    def about(workspace: Workspace, file: str, targets: str) -> Exchange:
        """That of a file and targets, below the folder for results. Raises UsageError where a link leads out."""
        folder = workspace.root / workspace.inside(f"{workspace.out}/questions/{file_name(f'{file} {targets}')}")
        folder.mkdir(parents=True, exist_ok=True)
        return Exchange(folder)

    @property
    def arguments(self) -> tuple[str, ...]:
        """What has a lift ask here, and not wait."""
        return (f"--proposer=exchange:{self.folder}", "--exchange-seconds=0.1")

    def asked(self, function: str) -> Path | None:
        """The prompt about a function that waits for its answer: the last that was written, None where it has one."""
        prompts = sorted(self.folder.glob(f"{file_name(function)}-*.prompt.md"), key=lambda path: path.stat().st_mtime_ns)
        return prompts[-1] if prompts and not answer_to(prompts[-1]).exists() else None

    def answer(self, function: str, text: str) -> None:
        """Answer that prompt. Raises UsageError where none waits."""
        prompt = self.asked(function)
        if prompt is None:
            raise UsageError(f"nothing is asked about {function}: call propose without an answer first")
        written = answer_to(prompt)
        write_text_atomic(written, text if "```" in text else f"```python\n{text}\n```\n")
        os.utime(written, (time.time() - BEFORE,) * 2)


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command printed, and its exit status."""

    output: str
    errors: str
    status: int


async def run_command(
    folder: Path, arguments: Sequence[str], seconds: float, beat: Callable[[float], Awaitable[None]]
) -> Ran:
    """Run a command of metalift in a folder, `beat` being called with the seconds so far now and then.

    Nothing of it is left running. Raises UsageError where it takes longer than `seconds`.
    """
    command = [sys.executable, "-P", "-m", "metalift.cli", *arguments]  # -P: no file of the workspace is one of our modules
    began = time.monotonic()
    output, errors = bytearray(), bytearray()

    async def beats() -> None:
        while True:
            await anyio.sleep(BEAT)
            await beat(time.monotonic() - began)

    process = await anyio.open_process(command, cwd=folder, stdin=None, start_new_session=True)
    assert process.stdout is not None and process.stderr is not None
    try:
        with anyio.fail_after(seconds):
            async with anyio.create_task_group() as beating:
                beating.start_soon(beats)
                async with anyio.create_task_group() as reading:
                    reading.start_soon(_read, process.stdout, output)
                    reading.start_soon(_read, process.stderr, errors)
                status = await process.wait()
                beating.cancel_scope.cancel()
    except TimeoutError:
        raise UsageError(f"it took longer than {seconds:g} s: ask for one function, or start the server with --seconds") from None
    finally:
        await _end(process)
    return Ran(output.decode("utf-8", "replace"), errors.decode("utf-8", "replace"), status)


async def _read(stream: ByteReceiveStream, into: bytearray) -> None:
    """All that a process writes."""
    async for part in stream:
        into += part


async def _end(process: Process) -> None:
    """End a command that still runs: it ends what it has started, or else all of its group is killed."""
    if process.returncode is not None:
        return
    with anyio.CancelScope(shield=True):
        with suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
        with anyio.move_on_after(GRACE):
            await process.wait()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
