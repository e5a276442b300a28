"""A weighted input, 0 where it is negative."""


def conv_activation(bias: int, weight: int, input: int) -> int:
    conv = bias + weight * input
    return conv if conv > 0 else 0
