"""A matrix times a vector."""


def matmul(weight: list[list[float]], inputs: list[float]) -> list[float]:
    output = []
    for row in weight:
        total = 0.0
        for j in range(len(inputs)):
            total += row[j] * inputs[j]
        output.append(total)
    return output
