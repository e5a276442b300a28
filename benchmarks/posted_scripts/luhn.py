from typing import List


def luhn_checksum(digits: List[int]) -> bool:
    total = 0
    # from the right, double every second digit
    for i, d in enumerate(reversed(digits)):
        if i % 2 == 1:
            d = d * 2
            if d > 9:
                d -= 9
        total += d
    return total % 10 == 0
