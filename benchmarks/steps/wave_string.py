"""A plucked string with fixed ends: two moments give the next one."""


def wave_string(before: list[float], now: list[float], steps: int, c2: float) -> list[float]:
    n = len(now)
    for _ in range(steps):
        after = [0.0] * n
        for i in range(1, n - 1):
            after[i] = 2.0 * now[i] - before[i] + c2 * (now[i - 1] - 2.0 * now[i] + now[i + 1])
        before = now
        now = after
    return now
