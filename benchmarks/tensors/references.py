# mypy: ignore-errors
"""References in PyTorch, and what they became when they were optimised by hand: `_fast` is right, `_slip` is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F

if TYPE_CHECKING:
    from jaxtyping import Bool, Float, Int8, Int32, Int64, UInt8
    from torch import Tensor


# Activations


def silu(x: Float[Tensor, "n"]):
    return x * torch.sigmoid(x)


def silu_fast(x):
    return x / (1 + torch.exp(-x))


def silu_slip(x):
    return x / (1 + torch.exp(x))


def gelu_tanh(x: Float[Tensor, "n"]):
    return F.gelu(x, approximate="tanh")


def gelu_tanh_fast(x):
    inner = x * (0.79788456080286535588 + 0.79788456080286535588 * 0.044715 * x * x)
    return 0.5 * x * (1 + torch.tanh(inner))


def gelu_tanh_slip(x):
    return F.gelu(x)


def hardswish(x: Float[Tensor, "n"]):
    return F.hardswish(x)


def hardswish_fast(x):
    return x * torch.clamp(x / 6 + 0.5, 0, 1)


def hardswish_slip(x):
    return x * torch.clamp(x / 6 + 0.5, min=0)


def leaky_relu(x: Float[Tensor, "n"]):
    return F.leaky_relu(x, 0.1)


def leaky_relu_fast(x):
    return torch.maximum(x, 0.1 * x)


def leaky_relu_slip(x):
    return F.leaky_relu(x)


def softplus_slip_reference(x: Float[Tensor, "n"]):
    return torch.log1p(torch.exp(x))


def softplus_slip(x):
    return F.relu(x) + torch.log1p(torch.exp(x.abs()))


def elu(x: Float[Tensor, "n"]):
    return F.elu(x)


def elu_fast(x):
    return F.relu(x) + torch.where(x < 0, torch.exp(x) - 1, 0.0)


def softsign(x: Float[Tensor, "n"]):
    return F.softsign(x)


def softsign_fast(x):
    return torch.where(x >= 0, x / (1 + x), x / (1 - x))


def hardsigmoid(x: Float[Tensor, "n"]):
    return F.hardsigmoid(x)


def hardsigmoid_fast(x):
    return F.relu6(x + 3) / 6


def log_sigmoid(x: Float[Tensor, "n"]):
    return F.logsigmoid(x)


def log_sigmoid_fast(x):
    return torch.clamp(x, max=0) - torch.log1p(torch.exp(-x.abs()))


def log_sigmoid_slip(x):
    return torch.clamp(x, max=0) - torch.log1p(torch.exp(x.abs()))


# Norms and softmax


def softmax_rows(x: Float[Tensor, "n d"]):
    return torch.softmax(x, dim=1)


def softmax_rows_fast(x):
    x = x - x.max(dim=-1, keepdim=True).values
    e = x.exp()
    return e / e.sum(dim=-1, keepdim=True)


def softmax_rows_slip(x):
    e = (x - x.max(dim=1, keepdim=True).values).exp()
    return e / e.sum(dim=0, keepdim=True)


def layer_norm(x: Float[Tensor, "n d"], w: Float[Tensor, "d"], b: Float[Tensor, "d"]):
    return F.layer_norm(x, (x.shape[1],), w, b, eps=1e-5)


def layer_norm_fast(x, w, b):
    centred = x - x.mean(dim=1, keepdim=True)
    scale = torch.rsqrt((centred * centred).mean(dim=1, keepdim=True) + 1e-5)
    return centred * scale * w + b


def layer_norm_slip(x, w, b):
    return (x - x.mean(dim=1, keepdim=True)) / torch.sqrt(x.var(dim=1, keepdim=True) + 1e-5) * w + b


def rms_norm(x: Float[Tensor, "n d"], w: Float[Tensor, "d"]):
    return F.rms_norm(x, (x.shape[1],), w, eps=1e-6)


def rms_norm_fast(x, w):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * w


def rms_norm_slip(x, w):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True)) * w + 1e-6


def normalize(x: Float[Tensor, "n d"]):
    return F.normalize(x, dim=1)


def normalize_fast(x):
    return x / x.norm(dim=1, keepdim=True).clamp(min=1e-12)


def normalize_slip(x):
    return x / (x.norm(dim=1, keepdim=True) + 1)


def standardize(x: Float[Tensor, "n d"]):
    return (x - x.mean(0)) / x.std(0, unbiased=False)


def standardize_fast(x):
    centred = x - x.mean(0, keepdim=True)
    return centred / centred.pow(2).mean(0).sqrt()


def standardize_slip(x):
    return (x - x.mean(0)) / x.std(0)


def log_softmax(x: Float[Tensor, "n d"]):
    return F.log_softmax(x, dim=1)


def log_softmax_fast(x):
    shifted = x - x.amax(dim=1, keepdim=True)
    return shifted - shifted.exp().sum(dim=1, keepdim=True).log()


def log_softmax_slip(x):
    shifted = x - x.amax(dim=1, keepdim=True)
    return shifted - shifted.exp().mean(dim=1, keepdim=True).log()


def batch_norm(
    x: Float[Tensor, "n c"],
    mean: Float[Tensor, "c"],
    var: Float[Tensor, "c"],
    w: Float[Tensor, "c"],
    b: Float[Tensor, "c"],
):
    return F.batch_norm(x, mean, var, w, b, training=False)


def batch_norm_fast(x, mean, var, w, b):
    scale = w * torch.rsqrt(var + 1e-5)
    return x * scale + (b - mean * scale)


def l1_norm(x: Float[Tensor, "n d"]):
    return F.normalize(x, p=1, dim=1)


def l1_norm_fast(x):
    return x / torch.clamp(torch.abs(x).sum(dim=1, keepdim=True), min=1e-12)


def cosine(x: Float[Tensor, "n d"], y: Float[Tensor, "n d"]):
    return F.cosine_similarity(x, y, dim=1, eps=1e-8)


def cosine_slip(x, y):
    return (x * y).sum(dim=1) / (x.norm(dim=1) + y.norm(dim=1)).clamp(min=1e-8)


# Reductions


def row_sums(x: Float[Tensor, "n d"]):
    return x.sum(1)


def row_sums_fast(x):
    return x @ torch.ones(x.shape[1])


def row_sums_slip(x):
    return x.sum(0)


def mean_square(x: Float[Tensor, "n"]):
    return (x**2).mean()


def mean_square_fast(x):
    return torch.dot(x, x) / x.numel()


def variance(x: Float[Tensor, "n"]):
    return x.var(unbiased=False)


def variance_slip(x):
    return x.var()


def best_rows(x: Float[Tensor, "n d"]):
    return x.argmax(dim=1)


def best_rows_fast(x):
    return x.max(dim=1).indices


def best_rows_slip(x):
    return x.shape[1] - 1 - x.flip(1).argmax(dim=1)


def outer_difference(x: Float[Tensor, "n"], y: Float[Tensor, "n"]):
    return x[:, None] - y


def outer_difference_fast(x, y):
    return x.unsqueeze(1) - y.unsqueeze(0)


def outer_difference_slip(x, y):
    return x - y[:, None]


def sums_of_products(x: Float[Tensor, "n d"], w: Float[Tensor, "d m"]):
    return (x @ w).sum(dim=1)


def sums_of_products_fast(x, w):
    return x @ w.sum(dim=1)


def masked_cumsum(x: Float[Tensor, "n"], mask: Bool[Tensor, "n"]):
    return torch.cumsum(x * mask, dim=0)


def masked_cumsum_fast(x, mask):
    return torch.where(mask, x, 0.0).cumsum(0)


def pooled(x: Float[Tensor, "n"]):
    return F.avg_pool1d(x[None], 2)[0]


def pooled_fast(x):
    n = x.shape[0] // 2 * 2
    return (x[0:n:2] + x[1:n:2]) * 0.5


def best_of_pairs(x: Float[Tensor, "n"]):
    return F.max_pool1d(x[None], 2)[0]


def best_of_pairs_fast(x):
    n = x.shape[0] // 2 * 2
    return torch.maximum(x[0:n:2], x[1:n:2])


def best_of_pairs_slip(x):
    n = x.shape[0] // 2
    return torch.maximum(x[:n], x[n : 2 * n])


# Losses


def mse(x: Float[Tensor, "n"], y: Float[Tensor, "n"]):
    return F.mse_loss(x, y)


def mse_fast(x, y):
    return (x - y).square().sum() / len(x)


def mse_slip(x, y):
    return F.mse_loss(x, y[:, None])


def huber(x: Float[Tensor, "n"], y: Float[Tensor, "n"]):
    return F.huber_loss(x, y)


def huber_fast(x, y):
    off = (x - y).abs()
    small = off.clamp(max=1.0)
    return (small * (off - 0.5 * small)).mean()


def huber_slip(x, y):
    off = (x - y).abs()
    return torch.where(off <= 1, 0.5 * off * off, off - 1).mean()


def bce(x: Float[Tensor, "n"], y: Float[Tensor, "n"]):
    return F.binary_cross_entropy_with_logits(x, y, reduction="sum")


def bce_fast(x, y):
    return (F.relu(x) - x * y + torch.log1p(torch.exp(-torch.abs(x)))).sum()


def hinge(x: Float[Tensor, "n"], y: Float[Tensor, "n"]):
    return torch.mean(torch.clamp(1 - x * y, min=0))


def hinge_fast(x, y):
    return F.relu(1 - x * y).sum() / x.shape[0]


def hinge_slip(x, y):
    return F.relu(1 - (x * y).mean())


def cross_entropy(x: Float[Tensor, "n d"], t: Int64[Tensor, "n"]):
    return F.cross_entropy(x, t)


def cross_entropy_fast(x, t):
    return (torch.logsumexp(x, dim=1) - x.gather(1, t[:, None]).squeeze(1)).mean()


def cross_entropy_slip(x, t):
    return (torch.logsumexp(x, dim=1) - x.gather(1, t[:, None]).squeeze(1)).sum()


def kl(x: Float[Tensor, "n d"], y: Float[Tensor, "n d"]):
    return F.kl_div(x, y, reduction="batchmean")


def kl_fast(x, y):
    return (torch.xlogy(y, y) - y * x).sum() / x.shape[0]


def smooth(x: Float[Tensor, "n"], y: Float[Tensor, "n"]):
    return F.smooth_l1_loss(x, y)


def smooth_fast(x, y):
    off = torch.abs(x - y)
    return torch.where(off < 1, 0.5 * off * off, off - 0.5).mean()


# Products


def linear_relu(x: Float[Tensor, "n d"], w: Float[Tensor, "m d"], b: Float[Tensor, "m"]):
    return F.relu(F.linear(x, w, b))


def linear_relu_fast(x, w, b):
    return torch.clamp(torch.mm(x, w.t()) + b, min=0)


def linear_relu_slip(x, w, b):
    return F.relu(x @ w.T) + b


def quadratic(x: Float[Tensor, "n"], a: Float[Tensor, "n n"]):
    return x @ a @ x


def quadratic_fast(x, a):
    return torch.einsum("i,ij,j->", x, a, x)


def attention_scores(q: Float[Tensor, "n d"], k: Float[Tensor, "m d"]):
    return q @ k.transpose(0, 1) / 8


def attention_scores_fast(q, k):
    return torch.einsum("nd,md->nm", q * 0.125, k)


def diagonal(a: Float[Tensor, "n"], b: Float[Tensor, "n m"]):
    return torch.diag(a) @ b


def diagonal_fast(a, b):
    return a.unsqueeze(1) * b


def diagonal_slip(a, b):
    return a.unsqueeze(0) * b


def lower(a: Float[Tensor, "n n"], b: Float[Tensor, "n n"]):
    return torch.tril(a @ b)


def lower_fast(a, b):
    i = torch.arange(a.shape[0])
    return torch.where(i[:, None] >= i, a @ b, 0.0)


def scaled_residual(x: Float[Tensor, "n d"], w: Float[Tensor, "m d"], b: Float[Tensor, "m"]):
    y = F.linear(x, w, b)
    return y * 0.5 + y


def scaled_residual_fast(x, w, b):
    return torch.addmm(b, x, w.T, alpha=1.5, beta=1.5)


def scaled_residual_slip(x, w, b):
    return torch.addmm(b, x, w.T, alpha=1.5)


def attention(q: Float[Tensor, "n d"], k: Float[Tensor, "m d"], v: Float[Tensor, "m e"]):
    return F.scaled_dot_product_attention(q, k, v, scale=0.125)


def attention_fast(q, k, v):
    weights = torch.softmax(q @ k.T * 0.125, dim=-1)
    return weights @ v


# Integers, views, changes in place


def halves(x: Int32[Tensor, "n"]):
    return torch.div(x, 2, rounding_mode="floor")


def halves_fast(x):
    return x >> 1


def halves_slip(x):
    return (x / 2).to(torch.int32)


def products(x: Int8[Tensor, "n"], y: Int8[Tensor, "n"]):
    return (x.int() * y.int()).sum()


def products_fast(x, y):
    return torch.dot(x.long(), y.long())


def products_slip(x, y):
    return (x * y).sum()


def brighten(x: UInt8[Tensor, "n"]):
    return torch.clamp(x.int() + 10, max=255).to(torch.uint8)


def brighten_slip(x):
    return torch.clamp(x + 10, max=255)


def scaled(x: Int32[Tensor, "n"]):
    return x * 3


def scaled_slip(x):
    return x * torch.full((1,), 3)


def swapped(x: Float[Tensor, "n"]):
    return torch.cat((x[1:2], x[:1], x[2:]))


def swapped_slip(x):
    x = x.clone()
    x[0], x[1] = x[1], x[0]
    return x


def doubled(x: Float[Tensor, "n"]):
    return 2 * x


def doubled_fast(x):
    y = x.clone()
    y += x
    return y


def first_and_rest(x: Float[Tensor, "n d"]):
    return x[:, 0] + x.sum(1)


def first_and_rest_slip(x):
    x = x.clone()
    first = x[:, 0]
    total = x.sum(1)
    x[:, 0] = 0
    return first + total


def centred(x: Float[Tensor, "n"]):
    return x - x.mean()


def centred_fast(x):
    y = x.clone()
    y.sub_(y.mean())
    return y


def reversed_sums(x: Float[Tensor, "n"]):
    return x.flip(0).cumsum(0).flip(0)


def reversed_sums_slip(x):
    return x.cumsum(0).flip(0)
