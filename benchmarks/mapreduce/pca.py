def pca(xs: list[float], ys: list[float]) -> tuple[float, float, float, float, float]:
    n = 0
    x = y = xx = xy = yy = 0.0
    for a, b in zip(xs, ys):
        n += 1
        x += a
        y += b
        xx += a * a
        xy += a * b
        yy += b * b
    if n == 0:
        return 0.0, 0.0, 0.0, 0.0, 0.0
    return x / n, y / n, xx / n - x / n * (x / n), xy / n - x / n * (y / n), yy / n - y / n * (y / n)
