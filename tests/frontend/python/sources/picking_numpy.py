"""Functions of NumPy that pick elements: as the library computes them, and as they are read."""

import numpy as np


def take(a, i):
    return np.take(a, i)


def take_rows(a, i):
    return np.take(a, i, axis=0)


def take_columns(a, i):
    return np.take(a, i, axis=1)


def along_rows(a, j):
    return np.take_along_axis(a, j, axis=1)


def along_columns(a, j):
    return np.take_along_axis(a, j, axis=0)


def gradient(v):
    return np.gradient(v)


def gradient_by_distance(v):
    return np.gradient(v, 0.5)


def pad(v):
    return np.pad(v, (2, 1))


def pad_edge(v):
    return np.pad(v, 2, mode="edge")


def pad_each_axis(a):
    return np.pad(a, ((1, 2), (0, 3)), constant_values=7)


def pad_edges(a):
    return np.pad(a, 1, mode="edge")


def pad_all_axes(a):
    return np.pad(a, (1, 2))


def windows(v):
    return np.lib.stride_tricks.sliding_window_view(v, 3)


def windows_of_two_axes(a):
    return np.lib.stride_tricks.sliding_window_view(a, (2, 2))


def windows_along_rows(a):
    return np.lib.stride_tricks.sliding_window_view(a, 2, axis=0)
