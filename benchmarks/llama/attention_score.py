"""The attention scores of one head up to a position."""

import math


def attention_score(token_position: int, head: int, head_size: int, key_cache: list[list[float]], q: list[float]) -> list[float]:
    attention = []
    for timestep in range(token_position + 1):
        score = 0.0
        for i in range(head_size):
            score += q[head * head_size + i] * key_cache[timestep][head * head_size + i]
        score /= math.sqrt(head_size)
        attention.append(score)
    return attention
