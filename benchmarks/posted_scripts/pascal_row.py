from typing import List


def pascal_row(n: int) -> List[int]:
    row = [1]
    for k in range(n):
        row.append(row[k] * (n - k) // (k + 1))
    return row
