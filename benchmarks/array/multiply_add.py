"""z += x * y."""


def multiply_add(x: list[float], y: list[float], z: list[float]) -> None:
    for i in range(len(z)):
        z[i] += x[i] * y[i]
