"""Random statements on PyTorch's tensors: what they are read as gives the values, dtypes and shapes that PyTorch gives.

Usage, from the root of the project: python -m benchmarks.tensor_statements [--count N] [--seed S]

As benchmarks/array_statements.py, with PyTorch in the place of NumPy; infinities and NaN on the way count as "raised".
"""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np

from benchmarks.array_statements import INFIX, Writer, campaign, compared, tried
from metalift.ir.program.fragment import Fragment
from metalift.run.workers.python_run import strict

DTYPES = ("float32", "float32", "float32", "float32", "int64", "int64", "int32", "int16", "int8", "uint8", "bool")
_REDUCED = ("sum", "mean", "amax", "amin", "any", "all", "std", "var", "argmax", "argmin")
_UNARY = ("-{}", "abs({})", "torch.abs({})", "torch.sqrt(torch.abs({}))", "({}).square()", "torch.sign({})", "~{}")
_ANY = """
    {}.clamp(-2, k); torch.clamp({}, min=0); torch.clamp({}, a, b); {} ** 2; {} ** 3; {} ** 0.5; 2 ** {}; {} << 1; {} >> 1;
    {} / 2; {} // 2; {} % 3; {} % -3; {} // -2; k // {}; k % {}; {} // k; {} % k; {}.sum(dtype=torch.int32); {}.var();
    {}.var(unbiased=False); {}.std(correction=0); {}.var(False); torch.var({}); torch.std({}, unbiased=True);
    torch.where({} > 1, 1, 0); torch.where({} > 1, 1.5, 0); torch.where({} > 1, {}, 0.5); {}.where({} > 0, k);
    {}.max() - {}.min(); {}.argmax(); {}.argmin(); {}.count_nonzero(); {}.any(); {}.all(); torch.floor({} / 3);
    torch.ceil({} / 3); ({} / 3).trunc(); ({} / 2).round(); {}.sign(); torch.maximum({}, b); torch.minimum({}, b);
    torch.max({}, b); torch.fmod({}, 3); {}.remainder(4); torch.div({}, 4, rounding_mode='floor'); {}.pow(2);
    torch.hypot({}, b); {}.logical_not(); torch.logical_xor({}, b); ~({} > 1); {} & 6; {} | 1; {} ^ k; {}.int(); {}.float();
    {}.long(); {}.bool(); {}.to(torch.uint8); {}.to(torch.int8) + {}; ({} / 3).int(); ({} / 3).to(torch.int16);
    torch.zeros_like({}) + 1; torch.ones_like({}) * k; torch.full_like({}, 2.5); torch.zeros({}.shape) + {};
    torch.zeros({}.shape, dtype=torch.int64) + {}; {}.sum() / {}.numel(); {}.sum() // 2; {}.max() + 1; {}.max() * 2;
    {}.sum() + k; {}.mean() * {}; {}.max() * {}; {}.sum() * {}; {}.min() // 2; {}.max() % 3; -{}.max(); {}.max() ** 2;
    {}.max() - b.max(); int({}.sum()); float({}.sum()); {}.max() > k; {}.sum() == k; {}.sum().item() * {}; {}.clone() + 1;
    torch.flip({}, (0,)); {}.flip(0); torch.sum({} * {}); torch.exp({} / 100); torch.add({}, b, alpha=2); {}.sub(b, alpha=k);
    ({} > 1).sum(); ({} > 1) * 2; ({} > 1) + ({} > 2); {}.eq(b); {}.ne(b).sum(); ({} == b).float().mean(); {}[{} > 1].sum();
    {}[({} > 0) & ({} < 3)]; {} + 300; {} * 0.5; {} == 300; {} > -1; {} < 2.5; {} > 300; {} // 300; {} % 200; {} * True;
    {} + 1.0; F.relu({}); F.relu({} / 2); F.silu({} / 2); F.gelu({} / 4); F.elu({} / 2); F.leaky_relu({} / 2, 0.1);
    F.hardswish({} / 2); F.hardtanh({} / 2); F.softplus({} / 2); torch.sigmoid({} / 2); F.logsigmoid({} / 2); F.selu({} / 2);
    F.celu({} / 2, 2.0); F.mish({} / 4); F.softsign({} / 2); F.tanhshrink({} / 4); F.threshold({} / 2, 1, 20); F.relu6({} / 2);
    F.hardsigmoid({} / 2); F.gelu({} / 4, approximate='tanh'); torch.rsqrt({} * {} + 1.0); torch.frac({} / 4);
    torch.lerp({} / 2, b / 4, 0.25); F.mse_loss({} / 2, b / 4); F.l1_loss({} / 2, b / 4, reduction='sum');
    F.smooth_l1_loss({} / 2, b / 4); {}.masked_fill({} > 0, 1); F.huber_loss({} / 2, b / 4, reduction='none', delta=0.5);
    torch.addcmul({} / 2, {} / 4, b / 4, value=3); {}.type_as(b) + {}; F.binary_cross_entropy_with_logits({} / 4, b / 8);
    {}.norm(); torch.norm({} / 2); torch.linalg.vector_norm({} / 2); {}.prod(); {}.reshape(-1).sum(0); {}.view(-1) + 1;
    {}.flatten(); {}.numel() + k; {}.detach() * 2; {}.contiguous() + {}; {}.rsqrt()
"""
_VECTORS = """
    {}.cumsum(0); torch.cumsum({}, dim=0); torch.roll({}, 1); torch.roll({}, -k); {}.repeat(2); {}.tile(2); torch.outer({}, v);
    torch.dot({}, v); {} @ v; torch.cat(({}, v)); torch.cat([{}, {} > 1]); torch.stack(({}, v)); torch.stack([{}, v], dim=1);
    {}[torch.arange(a.shape[0])]; torch.arange(len(a)) * {}; torch.linspace(0, 1, len(a)) + {}; torch.arange(k);
    torch.arange(1, k); torch.arange(k, 9, 3); torch.arange(3, dtype=torch.uint8) - 1; {}.reshape(1, -1) + {};
    {}.unsqueeze(0) - {}; {}[:, None] * v[None]; {}.unsqueeze(1) - {}; torch.einsum('i,i->', {}, v);
    torch.einsum('i,j->ij', {}, v); {}[-k:]; {}[k:]; {}[:k]; {}[k]; {}[-1]; torch.eye(len(a)) * 2; torch.squeeze({}[None]);
    {}[::3]; {}[1::2] * 2; {}[-2:]; {}[0] + {}[1]; torch.zeros(len(a), dtype=torch.int8) + {}; torch.ones(3, dtype=torch.bool);
    torch.full((3,), k); torch.full((3,), 2); {}[0] * 200; {}[0] // 2; {}[0] - b[0]; {}[0] / 2; {}[0] & 3; {}[0] + k;
    {}[0] * 0.5; {}[0] > k; {}[0] * {}; {}[0].item() * {}; torch.softmax({} / 4, 0); F.softmax({} / 4, dim=-1);
    F.log_softmax({} / 4, dim=0); torch.logsumexp({} / 4, 0); {}.amax(0); {}.max(0).values; {}.max(dim=0)[1]; {}.min(0)[0];
    {}.expand(3, -1) + 1; {}.diff(); torch.trapezoid({} / 2); {}.sum(0) + {}; F.normalize({} / 2, dim=0);
    F.layer_norm({} / 2, (a.shape[0],)); F.cosine_similarity({} / 2, v / 2, dim=0); {}.size(0) * {};
    F.rms_norm({} / 2, (len(a),), eps=0.1); torch.tensor([1, 2, 3]) * 2; torch.tensor([1, 2.5]); torch.tensor(3) * {}; len({});
    {}.norm(p=1); ({} - {}.float().mean()) / ({}.float().std() + 1); {}[torch.tensor([0, 1, 1])]; torch.mean({}.float(), 0)
"""
_MATRICES = """
    {}.sum(dim=0); {}.sum(1); {}.sum(-1, keepdim=True); {}.float().mean(0); {}.float().var(0);
    {}.float().var(1, unbiased=False); {}.float().std(dim=1, keepdim=True); {}.argmax(dim=0); {}.argmax(1); {}.amax(0);
    {}.any(1); ({} > 1).sum(dim=0); {}.amax((0, 1)); ({} > 1).all(dim=0); {}.sum((0, 1)); {}.cumsum(1); torch.cumsum({}, dim=0);
    {} @ v; {} @ {}.T; {}.t() @ {}; torch.mv({}, v); torch.mm({}.T, {}); {}.matmul(v); torch.trace({}); {}.T + 0; {}[:, 0];
    {}[0]; {}[:, [0, 1]]; {}[[1, 0]]; {}[[0, 1], [1, 0]]; {}[1:, 1:] - {}[:-1, :-1]; {} - {}.float().mean(0);
    {} / ({}.sum(1, keepdim=True) + 0.5); {} - {}.amax(1)[:, None]; {}.reshape(-1); {}.norm(dim=1);
    torch.einsum('ij,j->i', {}, v); torch.einsum('ij->j', {}); torch.einsum('ij,ij->', {}, {}); {}.permute(1, 0) * 2;
    torch.cat(({}, v[None])); torch.cat(({}, {}), dim=1); torch.stack(({}, {})); torch.stack(({}, {}), dim=2);
    {}.transpose(0, 1); {} + v; {} * v[None, :]; {} * v[:, None]; {}[..., 0]; {}[:, -1] + {}[:, 0];
    {}.max(1).values - {}.min(1).values; {}.max(1)[1]; {}.max(dim=1, keepdim=True)[0] * {}; {}.max(1, keepdim=True).indices;
    {}[0, 1] * 200; {}[{} > 1]; {}.numel(); {}.shape[1]; torch.where({} > v, {}, v); {}.unsqueeze(1) * 2; {}[None].sum(0);
    {}[1][0]; {}.diff(); {}.count_nonzero(dim=0); {}.tril(); {}.triu(1); {}.reshape(len(v), -1); {}.view(-1, 1);
    {}.T.reshape(-1); {}.flip(1); {}.flip((0, 1)); torch.softmax({} / 4, dim=1); F.softmax({} / 4, dim=0);
    F.log_softmax({} / 4, dim=-1); torch.logsumexp({} / 4, dim=1, keepdim=True); {}.logsumexp(0); {}.mT + 1;
    F.layer_norm({} / 2, (a.shape[1],)); F.layer_norm({} / 2, v.shape, v / 2, v / 4); F.normalize({} / 2, dim=1);
    F.normalize({} / 2); F.linear({} / 2, {} / 4); F.linear({} / 2, {} / 4, v / 2); F.cosine_similarity({} / 2, {} / 4);
    F.rms_norm({} / 2, (len(v),), eps=0.5); torch.addmm({} / 2, {} / 4, {}.T / 2); v.expand(3, -1) * 2; v.expand_as({}) + {};
    {}.masked_fill({} == 0, 7); {}.sum(0) * {}; torch.diagonal({}); {}.squeeze(); {}[:, None].squeeze(1); {}.amin(1, True);
    torch.bmm({}[None], {}.T[None]); {}.argmin(1, keepdim=True)
"""


def _split(text: str) -> tuple[str, ...]:
    return tuple(form.strip() for form in text.split(";"))


ANY, VECTORS, MATRICES = map(_split, (_ANY, _VECTORS, _MATRICES))


class TensorWriter(Writer):
    """Writes them in PyTorch's words."""

    forms = (ANY, VECTORS, MATRICES)

    def array(self, depth: int) -> str:
        """An expression that has the shape of `a`."""
        if depth == 0:
            return self.rng.choice(("a", "a", "b", "v"))
        kind = self.rng.randrange(10)
        if kind < 5:
            return f"({self.array(depth - 1)} {self.rng.choice(INFIX)} {self.other(depth - 1)})"
        if kind == 5:
            return self.rng.choice(_UNARY).format(self.array(depth - 1))
        if kind == 6:
            return f"torch.where({self.test(depth - 1)}, {self.array(depth - 1)}, {self.other(depth - 1)})"
        if kind == 7:
            return f"{self.array(depth - 1)}.to(torch.{self.rng.choice(DTYPES)})"
        if kind == 8 and self.rank == 2:
            name, axis = self.rng.choice(_REDUCED[:8]), self.rng.choice((0, 1, -1))
            return f"({self.array(depth - 1)} + {self.array(depth - 1)}.{name}(dim={axis}, keepdim=True))"
        return f"({self.array(depth - 1)} * {self.array(depth - 1)}.{self.rng.choice(_REDUCED)}())"

    def changes(self) -> str:
        """Statements that change `a`, or might."""
        some = ("1:", ":-1", "::2", self.test(1), ":") if self.rank == 1 else ("1:", ":, 0", "0", ":, 1:", self.test(1))
        where, name = self.rng.choice(some), self.rng.choice(("add_", "mul_", "sub_", "copy_"))
        first, second = ("0", "1") if self.rank == 1 else ("0, 0", "0, 1")
        forms = (
            f"a[{where}] {self.rng.choice(('=', '+=', '-=', '*='))} {self.rng.choice((f'({self.array(1)})[{where}]', 'k', '2'))}",
            f"a.{name}({self.rng.choice(('b', 'k', 'v', self.array(1)))})",
            f"a.{self.rng.choice(('zero_', 'abs_', 'neg_', 'square_'))}()",
            f"a[{first}], a[{second}] = a[{second}], a[{first}]",
            f"a[{first}], a[{second}] = a[{second}].clone(), a[{first}].clone()",
            f"x = a[{first}]\n    a[{first}] = k\n    return x + 0",
            f"x = a[{first}]\n    x += 1\n    return a + 0",
            "x = a.view(-1)\n    x[0] = k\n    return a + 0",
            "x = a.flip(0)\n    x += 1\n    return x * a",
            "x = a[1:]\n    x *= 2\n    return a + x.sum()",
            f"x = a.to(torch.{self.rng.choice(DTYPES)})\n    x += 1\n    return x + a",
            "x = a.sum()\n    y = x\n    x += 1\n    return y + x",
            f"x = a.sum()\n    x += {self.array(1)}.amax()\n    return x * 2",
            f"torch.add(b, {self.rng.choice(('b', 'v', 'k'))}, out=a)",
            f"a.clamp_({self.rng.randint(-3, 1)}, {self.rng.randint(2, 9)})",
            f"a.masked_fill_({self.test(1)}, {self.rng.choice(('0', 'k', '3'))})",
            "x = a.clone()\n    a.zero_()\n    return x + a",
            f"a += {self.array(1)}\n    return a",
        )
        return self.rng.choice(forms)


def written(rng: random.Random) -> tuple[str, tuple[str, ...], int]:
    """A module with a function `f`, the dtypes of its tensors, and their rank."""
    rank = rng.choice((1, 1, 2))
    one = rng.choice(DTYPES)
    dtypes = (one, rng.choice((one, rng.choice(DTYPES))), rng.choice((one, rng.choice(DTYPES))))
    writer, chance = TensorWriter(rng, rank), rng.random()
    made = writer.array(rng.randrange(1, 4)) if chance < 0.3 else writer.known()
    body = f"return {made}" if chance < 0.75 else writer.changes()
    axes = zip("abv", ("n m", "n m", "m") if rank == 2 else ("m", "m", "m"), dtypes, strict=True)
    declared = [f"{name}: \"{_spelled(dtype)}[torch.Tensor, '{shape}']\"" for name, shape, dtype in axes]
    head = "import torch\nimport torch.nn.functional as F\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n"
    names = ", ".join(sorted({_spelled(each) for each in dtypes}))
    number = rng.choice(("int", "float"))
    text = f"{head}    from jaxtyping import {names}\n\n\ndef f({', '.join(declared)}, k: {number}):\n    {body}\n"
    return text, dtypes, rank


def _spelled(dtype: str) -> str:
    """jaxtyping's name of a dtype."""
    return "UInt8" if dtype == "uint8" else dtype.capitalize()


def plain(value: Any) -> Any:  # noqa: ANN401 (whatever PyTorch gives)
    """A tensor as an array or number of NumPy."""
    if not hasattr(value, "numpy"):
        return value
    made = value.numpy()
    return made if made.ndim else made[()]


def fate(text: str, fragment: Fragment, args: dict[str, Any]) -> str:
    """What becomes of one input."""
    import torch  # which takes a second

    space: dict[str, Any] = {}
    exec(compile(text, "statement.py", "exec"), space)  # noqa: S102 (the text was written above)
    tensors = {name: torch.from_numpy(value.copy()) if isinstance(value, np.ndarray) else value for name, value in args.items()}
    try:
        with strict(wraps=False), warnings.catch_warnings(action="ignore"):
            expected = space["f"](**tensors)
    except (ArithmeticError, RuntimeError, ValueError, IndexError, TypeError, NotImplementedError):
        return "raised"
    if fragment.gives:
        return "agree" if expected is tensors[fragment.gives] else "DIFFER"
    found = compared(fragment, args, {name: plain(value) for name, value in tensors.items()}, plain(expected))
    empty = any(isinstance(value, np.ndarray) and not value.size for value in args.values())
    of_greatest = any(name in text for name in ("softmax", "logsumexp"))  # where the greatest of no elements is read
    return "restricted" if found == "DIFFER" and empty and of_greatest else found


def one(rng: random.Random) -> tuple[str, str]:
    """What becomes of a random statement, and its text."""
    return tried(rng, written(rng), fate)


if __name__ == "__main__":
    raise SystemExit(campaign(one, "statements", None))
