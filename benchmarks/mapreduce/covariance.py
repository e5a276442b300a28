def covariance(x: list[float], y: list[float]) -> float:
    both = 0.0
    xs = 0.0
    ys = 0.0
    n = len(x)
    for i in range(n):
        both += x[i] * y[i]
        xs += x[i]
        ys += y[i]
    return both / n - (xs / n) * (ys / n)
