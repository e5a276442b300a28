"""A Python source as something that runs: the worker process imports the file and calls the function."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from metalift.ir.expr.types import INT, element_of
from metalift.ir.program.fragment import Field, Fragment

_RUNNER = Path(__file__).with_name("python_run.py")
_SET = re.compile(r"(\w+\.)*(frozen|abstract)?set\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PythonSource:
    """A function of a Python file, or one whose text is `unit`, in the file's module; there is nothing to make ready."""

    fragment: Fragment
    path: Path
    unit: str = ""

    def wait(self, timeout: float = 60.0) -> Mapping[str, object]:
        """What the worker needs to run it; `numpy` are the parameters that are arrays and numbers of NumPy, `tensors` those of
        them that are PyTorch's, `strings` those that are given by code points, `sets` those that are given by a list of their
        elements, `places` has those that are fields of an object, the `owner`, or variables of the module.
        """
        numpy = [param.var.name for param in self.fragment.params if param.numpy]
        points = [param for param in self.fragment.params if param.c_type == "str" and element_of(param.var.type) == INT]
        return {
            "runner": str(_RUNNER),
            "file": str(self.path.resolve()),
            "function": self.fragment.name,
            "numpy": numpy,
            "tensors": [param.var.name for param in self.fragment.params if param.tensor],
            "sets": [param.var.name for param in self.fragment.params if _SET.match(param.c_type)],
            "strings": [param.var.name for param in points],
            "unit": self.unit,
            "places": {
                param.var.name: {
                    "owner": "" if param.field.variable else param.field.parameter,
                    "class": param.field.c_type,
                    "name": _mangled(param.field),
                    "boxed": param.field.boxed,
                }
                for param in self.fragment.params
                if param.field is not None
            },
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        return None


def _mangled(place: Field) -> str:
    """The name of a field or variable as it is found: Python puts the class into those that begin with two underscores."""
    name = place.access.removeprefix(".")
    return f"_{place.c_type.lstrip('_')}{name}" if name.startswith("__") else name or place.parameter
