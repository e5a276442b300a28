"""Runs a generated file by Triton's interpreter, in a process that has imported Triton for nothing else.

Whether Triton interprets is settled when it is first imported, and PyTorch may have imported it before a test does.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

Argument = np.ndarray | int | float
Call = tuple[Sequence[Argument], Mapping[str, int]]  # positional arguments, and block sizes


def executed(path: Path, function: str, calls: Sequence[Call]) -> list[list[np.ndarray]]:
    """All arrays after each call; one that is given twice is one tensor."""
    command = [sys.executable, "-m", "tests.triton.executing", str(path), function]
    done = subprocess.run(command, input=pickle.dumps(list(calls)), capture_output=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr.decode()
    found: list[list[np.ndarray]] = pickle.loads(done.stdout)
    return found


def main(path: str, function: str) -> None:
    """Calls come on standard input, arrays go to standard output."""
    from metalift_drivers.triton.runner import load

    run = load(path, function)
    import torch

    results = []
    for arguments, blocks in pickle.loads(sys.stdin.buffer.read()):
        tensors: dict[int, Any] = {id(each): torch.tensor(each) for each in arguments if isinstance(each, np.ndarray)}
        run(*(tensors.get(id(each), each) for each in arguments), **blocks)
        results.append([tensors[id(each)].numpy() for each in arguments if isinstance(each, np.ndarray)])
    sys.stdout.buffer.write(pickle.dumps(results))


if __name__ == "__main__":
    main(*sys.argv[1:])
