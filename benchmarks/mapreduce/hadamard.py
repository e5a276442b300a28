def hadamard(x: list[float], y: list[float]) -> list[float]:
    product = []
    for a, b in zip(x, y):
        product.append(a * b)
    return product
