"""Mean and sample variance in one pass, after Welford."""


def welford(xs: list[float]) -> tuple[float, float]:
    count = 0
    mean = 0.0
    m2 = 0.0
    for x in xs:
        count += 1
        delta = x - mean
        mean += delta / count
        m2 += delta * (x - mean)
    if count < 2:
        return mean, 0.0
    return mean, m2 / (count - 1)
