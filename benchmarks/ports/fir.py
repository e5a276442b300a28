# mypy: ignore-errors
import numpy as np


def fir(x, taps):
    return np.correlate(x, taps, mode="valid")


def fir_convolve(x, taps):
    return np.convolve(x, taps, mode="valid")
