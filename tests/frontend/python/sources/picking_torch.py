"""Functions of PyTorch that pick elements: as the library computes them, and as they are read."""

import torch
import torch.nn.functional as F


def take(a, i):
    return torch.take(a, i)


def select_rows(a, i):
    return torch.index_select(a, 0, i)


def select_columns(a, i):
    return a.index_select(1, i)


def gather(a, j):
    return a.gather(1, j)


def gather_rows(a, j):
    return torch.gather(a, 0, j)


def nll_loss(a, c):
    return F.nll_loss(a, c)


def nll_loss_sum(a, c):
    return F.nll_loss(a, c, reduction="sum")


def cross_entropy(a, c):
    return F.cross_entropy(a, c)


def cross_entropies(a, c):
    return F.cross_entropy(a, c, reduction="none")


def max_pool1d(a):
    return F.max_pool1d(a, 2)


def avg_pool1d(a):
    return F.avg_pool1d(a, 3, 1)


def max_pool2d(b):
    return F.max_pool2d(b, 2)


def avg_pool2d(b):
    return F.avg_pool2d(b, (2, 1), stride=(1, 2))


def unfold(v):
    return v.unfold(0, 2, 1)


def unfold_columns(a):
    return a.unfold(1, 2, 2)


def truncated(v, w):
    return torch.div(v, w, rounding_mode="trunc")


def truncated_integers(k, m):
    return torch.div(k, m, rounding_mode="trunc")


def counted(c):
    return torch.bincount(c, minlength=6)
