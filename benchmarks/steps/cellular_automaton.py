"""A line of cells under one of the 256 elementary rules; beyond both ends all cells are dead."""


def cellular_automaton(cells: list[int], rule: int, generations: int) -> list[int]:
    n = len(cells)
    for _ in range(generations):
        successor = [0] * n
        for i in range(n):
            left = cells[i - 1] if i > 0 else 0
            right = cells[i + 1] if i < n - 1 else 0
            pattern = 4 * left + 2 * cells[i] + right
            successor[i] = (rule >> pattern) & 1
        cells = successor
    return cells
