"""Functions of PyTorch in terms of others: read as functions of the file that calls them would be, never run.

Each takes tensors of floats. Only operators and methods of tensors are used, so that no name depends on the file. Sources: the
documentation of `torch` and `torch.nn.functional` 2.x, and aten/src/ATen/native for what it leaves open.
"""

from __future__ import annotations

from typing import Any, TypeAlias

Tensor: TypeAlias = Any


def relu(input: Tensor) -> Tensor:
    return input.clamp(min=0)


def relu6(input: Tensor) -> Tensor:
    return input.clamp(0, 6)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    return input.clamp(min_val, max_val)


def sigmoid(input: Tensor) -> Tensor:
    return 1 / (1 + (-input).exp())


def silu(input: Tensor) -> Tensor:
    return input / (1 + (-input).exp())


def logsigmoid(input: Tensor) -> Tensor:
    return -(-input).exp().log1p()


def hardsigmoid(input: Tensor) -> Tensor:
    return (input + 3).clamp(0, 6) / 6


def hardswish(input: Tensor) -> Tensor:
    return input * (input + 3).clamp(0, 6) / 6


def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    return input.where(input * beta > threshold, (input * beta).exp().log1p() / beta)


def mish(input: Tensor) -> Tensor:
    return input * input.exp().log1p().tanh()


def softsign(input: Tensor) -> Tensor:
    return input / (1 + input.abs())


def tanhshrink(input: Tensor) -> Tensor:
    return input - input.tanh()


def leaky_relu(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    return input.where(input > 0, input * negative_slope)


def threshold(input: Tensor, threshold: float, value: float) -> Tensor:
    return input.where(input > threshold, value)


def elu(input: Tensor, alpha: float = 1.0) -> Tensor:
    return input.where(input > 0, alpha * input.expm1())


def celu(input: Tensor, alpha: float = 1.0) -> Tensor:
    return input.clamp(min=0) + (alpha * (input / alpha).expm1()).clamp(max=0)


def selu(input: Tensor) -> Tensor:
    return 1.0507009873554804934193349852946 * input.where(input > 0, 1.6732632423543772848170429916717 * input.expm1())


def gelu(input: Tensor) -> Tensor:
    return 0.5 * input * (1 + (input * 0.70710678118654752440).erf())


def gelu_tanh(input: Tensor) -> Tensor:
    return 0.5 * input * (1 + (0.79788456080286535588 * (input + 0.044715 * input * input * input)).tanh())


def rsqrt(input: Tensor) -> Tensor:
    return 1 / input.sqrt()


def frac(input: Tensor) -> Tensor:
    return input - input.trunc()


def softmax(input: Tensor, dim: int) -> Tensor:
    weights = (input - input.amax(dim, keepdim=True)).exp()
    return weights / weights.sum(dim, keepdim=True)


def softmin(input: Tensor, dim: int) -> Tensor:
    return (-input).softmax(dim)


def log_softmax(input: Tensor, dim: int) -> Tensor:
    shifted = input - input.amax(dim, keepdim=True)
    return shifted - shifted.exp().sum(dim, keepdim=True).log()


def logsumexp(input: Tensor, dim: int) -> Tensor:
    most = input.amax(dim, keepdim=True)
    return most.squeeze(dim) + (input - most).exp().sum(dim).log()


def logsumexp_kept(input: Tensor, dim: int) -> Tensor:
    most = input.amax(dim, keepdim=True)
    return most + (input - most).exp().sum(dim, keepdim=True).log()


def layer_norm(input: Tensor, weight: Tensor = None, bias: Tensor = None, eps: float = 1e-5) -> Tensor:
    result = (input - input.mean(-1, keepdim=True)) / (input.var(-1, correction=0, keepdim=True) + eps).sqrt()
    if weight is not None:
        result = result * weight
    if bias is not None:
        result = result + bias
    return result


def rms_norm(input: Tensor, weight: Tensor = None, eps: float = None) -> Tensor:  # type: ignore[assignment]
    result = input / ((input * input).mean(-1, keepdim=True) + eps).sqrt()
    if weight is not None:
        result = result * weight
    return result


def normalize(input: Tensor, *, dim: int = 1, eps: float = 1e-12) -> Tensor:
    return input / (input * input).sum(dim, keepdim=True).sqrt().clamp(min=eps)


def normalize_sums(input: Tensor, *, dim: int = 1, eps: float = 1e-12) -> Tensor:
    return input / input.abs().sum(dim, keepdim=True).clamp(min=eps)


def normalize_most(input: Tensor, *, dim: int = 1, eps: float = 1e-12) -> Tensor:
    return input / input.abs().amax(dim, keepdim=True).clamp(min=eps)


def batch_norm(
    input: Tensor,
    running_mean: Tensor,
    running_var: Tensor,
    weight: Tensor = None,
    bias: Tensor = None,
    eps: float = 1e-5,
) -> Tensor:
    result = (input - running_mean) / (running_var + eps).sqrt()
    if weight is not None:
        result = result * weight
    if bias is not None:
        result = result + bias
    return result


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    lengths = (x1 * x1).sum(dim).sqrt().clamp(min=eps) * (x2 * x2).sum(dim).sqrt().clamp(min=eps)
    return (x1 * x2).sum(dim) / lengths


def linear(input: Tensor, weight: Tensor, bias: Tensor = None) -> Tensor:
    result = input @ weight.T
    if bias is not None:
        result = result + bias
    return result


def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, *, scale: float) -> Tensor:
    return (query @ key.mT * scale).softmax(-1) @ value


def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    return beta * input + alpha * (mat1 @ mat2)


def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    return beta * input + alpha * (mat @ vec)


def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
    return input + value * tensor1 * tensor2


def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
    return input + value * tensor1 / tensor2


def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    return beta * input + alpha * (batch1 @ batch2)


def xlogy(input: Tensor, other: Tensor) -> Tensor:
    return (input * other.log()).where(input != 0, 0.0)


def logaddexp(input: Tensor, other: Tensor) -> Tensor:
    return input.maximum(other) + (-(input - other).abs()).exp().log1p()


def lerp(input: Tensor, end: Tensor, weight: float) -> Tensor:
    return input + weight * (end - input)


def mse_loss(input: Tensor, target: Tensor) -> Tensor:
    return (input - target) * (input - target)


def l1_loss(input: Tensor, target: Tensor) -> Tensor:
    return (input - target).abs()


def smooth_l1_loss(input: Tensor, target: Tensor, beta: float = 1.0) -> Tensor:
    off = (input - target).abs()
    return (0.5 * off * off / beta).where(off < beta, off - 0.5 * beta)


def huber_loss(input: Tensor, target: Tensor, delta: float = 1.0) -> Tensor:
    off = (input - target).abs()
    return (0.5 * off * off).where(off <= delta, delta * (off - 0.5 * delta))


def nll_loss(input: Tensor, target: Tensor) -> Tensor:
    return -input.gather(1, target.unsqueeze(1)).squeeze(1)


def cross_entropy(input: Tensor, target: Tensor) -> Tensor:
    return -input.log_softmax(1).gather(1, target.unsqueeze(1)).squeeze(1)


def binary_cross_entropy_with_logits(input: Tensor, target: Tensor) -> Tensor:
    return input.clamp(min=0) - input * target + (-input.abs()).exp().log1p()


def kl_div(input: Tensor, target: Tensor) -> Tensor:
    return target.xlogy(target) - target * input


def kl_div_of_logs(input: Tensor, target: Tensor) -> Tensor:
    return target.exp() * (target - input)


def soft_margin_loss(input: Tensor, target: Tensor) -> Tensor:
    return (-target * input).exp().log1p()


def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0) -> Tensor:
    return (-target * (input1 - input2) + margin).clamp(min=0)


def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0) -> Tensor:
    return input.where(target != -1, 0.0) + (margin - input).clamp(min=0).where(target != 1, 0.0)
