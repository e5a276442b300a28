"""The difference, and its square."""


def squared_error(pred: list[float], truth: list[float]) -> tuple[list[float], list[float]]:
    delta = [t - p for t, p in zip(truth, pred)]
    error = [(t - p) ** 2 for t, p in zip(truth, pred)]
    return delta, error
