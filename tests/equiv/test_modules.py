"""Modules of PyTorch as ports: `forward` with the tensors, parts and settings that `__init__` gives a module."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift.frontend.python import parse_source
from metalift.frontend.python.function import import_python
from metalift.ir.program.fragment import Unsupported
from metalift.pipeline.equivalence import EquivVerdict, equiv
from metalift.pipeline.ports import check_port, find_ports

KERNELS = """
#include <math.h>
void rmsnorm(float *o, const float *x, const float *weight, int n) {
  float s = 0; for (int i = 0; i < n; i++) s += x[i] * x[i];
  s = 1.0f / sqrtf(s / n + 1e-5f);
  for (int i = 0; i < n; i++) o[i] = x[i] * s * weight[i]; }
void dense(float *y, const float *x, const float *fc_weight, const float *fc_bias, int n, int k) {
  for (int i = 0; i < k; i++) {
    float s = fc_bias[i]; for (int j = 0; j < n; j++) s += fc_weight[i * n + j] * x[j];
    y[i] = s > 0 ? s : 0; } }
void layer(float *y, const float *x, const float *g, const float *b, int rows, int cols) {
  for (int r = 0; r < rows; r++) {
    float m = 0, v = 0;
    for (int j = 0; j < cols; j++) m += x[r * cols + j];
    m /= cols;
    for (int j = 0; j < cols; j++) v += (x[r * cols + j] - m) * (x[r * cols + j] - m);
    v /= cols;
    for (int j = 0; j < cols; j++) y[r * cols + j] = (x[r * cols + j] - m) / sqrtf(v + 1e-5f) * g[j] + b[j]; } }
void relu(float *y, const float *x, int n) { for (int i = 0; i < n; i++) y[i] = x[i] > 0 ? x[i] : 0; }
"""
PORTS = """
import metalift
import torch
from torch import nn

class RMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float = {eps}):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def _norm(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)

    @metalift.port_of("kernels.c", "rmsnorm")
    def forward(self, x):
        return self._norm(x) * self.weight

class Dense(nn.Module):
    def __init__(self, n, k):
        super().__init__()
        self.fc = nn.Linear(n, k)
        self.act = nn.{act}()

    @metalift.port_of("kernels.c", "dense")
    def forward(self, x):
        return self.act(self.fc(x))

class Layer(nn.Module):
    def __init__(self, d, eps=1e-5):
        super().__init__()
        self.norm = nn.LayerNorm(d, eps=eps)

    @metalift.port_of("kernels.c", "layer", map={{"norm_weight": "g", "norm_bias": "b"}})
    def forward(self, x):
        return self.norm(x)

class ReLU(nn.Module):
    @metalift.port_of("kernels.c", "relu")
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x)
"""
RIGHT = {"eps": "1e-5", "act": "ReLU"}
WRONG = {"eps": "1e-3", "act": "SiLU"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    made = tmp_path_factory.mktemp("modules")
    (made / "kernels.c").write_text(KERNELS)
    (made / "right.py").write_text(PORTS.format(**RIGHT))
    (made / "wrong.py").write_text(PORTS.format(**WRONG))
    return made


@pytest.mark.quick(every=2)
@pytest.mark.parametrize("name", ["RMSNorm", "Dense", "Layer", "ReLU"])
def test_ports_that_are_modules(folder: Path, name: str) -> None:
    (port,) = find_ports(folder / "right.py", f"{name}.forward")
    result = check_port(folder / "right.py", port, timeout=60.0)
    assert result.verdict is EquivVerdict.EQUAL, result
    told = [text for text, _ in result.assumptions]
    assert ("eps of RMSNorm.forward is 1e-05, as by default" in told) == (name == "RMSNorm")
    assert ("fc of Dense: as its __init__ makes them, without hooks" in told) == (name == "Dense")


@pytest.mark.parametrize("name, kernel", [("RMSNorm", "rmsnorm"), ("Dense", "dense")])
def test_settings_count(folder: Path, name: str, kernel: str) -> None:
    """A module is named by its class; what its constructor sets by default is part of it."""
    result = equiv(folder / "kernels.c", folder / "wrong.py", functions=(kernel, name), timeout=60.0)
    assert result.verdict is EquivVerdict.DIFFERENT, result


def test_numbers_by_default(tmp_path: Path) -> None:
    """A parameter of a port that the source has not is what it is where nobody gives it."""
    (tmp_path / "k.c").write_text("void f(int n, float *y, const float *x) { for (int i = 0; i < n; i++) y[i] = x[i] * 2 + 1; }")
    for scale, verdict in ((2.0, EquivVerdict.EQUAL), (-2.0, EquivVerdict.DIFFERENT)):
        text = f"def f(x, scale: float = {scale}, *, shift: float = 1.0):\n    return x * scale + shift\n"
        (tmp_path / "p.py").write_text(text)
        assert equiv(tmp_path / "k.c", tmp_path / "p.py").verdict is verdict


TOOLS = "class Tools:\n    @staticmethod\n    def tweak(m):\n        m.eps = 3.0\n"


@pytest.mark.parametrize("more", ["Tools.tweak(self)", "configure(self)", "self.eps = 2.0", "other = self"])
def test_defaults_of_objects_that_others_may_change(tmp_path: Path, more: str) -> None:
    """What a setting is by default is not known where the object is given away before it is made."""
    init = f"    def __init__(self, eps=1.0):\n        super().__init__()\n        self.eps = eps\n        {more}\n"
    forward = "    def forward(self, x: torch.Tensor):\n        return x + self.eps\n"
    path = tmp_path / "m.py"
    head = "import torch\nfrom torch import nn\nfrom help import configure\n"
    path.write_text(f"{head}{TOOLS}class M(nn.Module):\n{init}{forward}")
    fragment = import_python(parse_source(path), "M.forward")
    assert [each.default for each in fragment.params if each.var.name == "eps"] == [None]


HEAD = """
import torch
from torch import nn
class M(nn.Module):
    def __init__(self, n, how=True):
        super().__init__()
"""
UNKNOWN_PARTS = {
    "another kind": "        self.f = nn.Conv1d(n, n, 3)\n",
    "two kinds": "        self.f = nn.ReLU()\n        if how:\n            self.f = nn.GELU()\n",
    "only one way": "        if how:\n            self.f = nn.ReLU()\n",
    "set again": "        self.f = nn.ReLU()\n    def other(self):\n        self.f = nn.GELU()\n",
    "by name": "        self.f = nn.ReLU()\n        self.add_module('f', nn.GELU())\n",
    "a setting that is computed": "        self.f = nn.LeakyReLU(n / 3)\n",
    "several axes": "        self.f = nn.LayerNorm((n, n))\n",
    "a tensor that is taken away": "        self.f = nn.Linear(n, n)\n        self.f.bias = None\n",
    "a setting that is set later": "        self.f = nn.LeakyReLU()\n        if n > 1:\n            self.f.negative_slope = n\n",
    "a second name": "        self.f = nn.LeakyReLU()\n        other = self.f\n        other.negative_slope = n\n",
    "a wrapper": "        self.f = nn.utils.weight_norm(nn.Linear(n, n))\n",
    "a name that is set": "        nn.ReLU = nn.GELU\n        self.f = torch.jit.script(nn.ReLU())\n",
}


@pytest.mark.parametrize("body", UNKNOWN_PARTS.values(), ids=UNKNOWN_PARTS.keys())
def test_parts_that_are_not_known(tmp_path: Path, body: str) -> None:
    path = tmp_path / "m.py"
    path.write_text(f"{HEAD}{body}    def forward(self, x: torch.Tensor):\n        return self.f(x)\n")
    with pytest.raises(Unsupported, match="self.f|a method of the class M"):
        import_python(parse_source(path), "M.forward")
