"""1-D convolution over all positions where the kernel fits."""


def convolution_1d(x: list[float], w: list[float]) -> list[float]:
    out = []
    for i in range(len(x) - len(w) + 1):
        total = 0.0
        for j in range(len(w)):
            total += x[i + j] * w[j]
        out.append(total)
    return out
