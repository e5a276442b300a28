def regression_sums(x: list[float], y: list[float]) -> tuple[float, float, float, float, float]:
    sx = 0.0
    sy = 0.0
    sxx = 0.0
    syy = 0.0
    sxy = 0.0
    for a, b in zip(x, y):
        sx += a
        sy += b
        sxx += a * a
        syy += b * b
        sxy += a * b
    return sx, sy, sxx, syy, sxy
