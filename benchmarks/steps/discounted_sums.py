"""What is still to come from each moment on, later rewards discounted."""


def discounted_sums(rewards: list[float], gamma: float) -> list[float]:
    sums = [0.0] * len(rewards)
    running = 0.0
    for i in reversed(range(len(rewards))):
        running = rewards[i] + gamma * running
        sums[i] = running
    return sums
