"""What one head gives: the values up to a position, weighted by their attention."""


def attention_output(
    token_position: int, head: int, head_size: int, value_cache: list[list[float]], attention: list[float]
) -> list[float]:
    xb = []
    for i in range(head_size):
        total = 0.0
        for timestep in range(token_position + 1):
            total += attention[timestep] * value_cache[timestep][head * head_size + i]
        xb.append(total)
    return xb
