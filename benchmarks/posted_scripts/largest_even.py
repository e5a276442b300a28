from typing import List, Optional


def largest_even(numbers: List[int]) -> Optional[int]:
    largest = None
    for n in numbers:
        if n % 2 == 0:
            if largest is None or n > largest:
                largest = n
    return largest
