def point_sums(points: list[tuple[float, float]]) -> tuple[float, float, float, float, float]:
    sx = 0.0
    sy = 0.0
    sxx = 0.0
    syy = 0.0
    sxy = 0.0
    for x, y in points:
        sx += x
        sy += y
        sxx += x * x
        syy += y * y
        sxy += x * y
    return sx, sy, sxx, syy, sxy
