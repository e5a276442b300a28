from collections import defaultdict
from dataclasses import dataclass


@dataclass
class Purchase:
    customer: str
    shop: str
    year: int
    amount: float


def spending(purchases: list[Purchase], excluded: str) -> dict[tuple[str, int], float]:
    totals: defaultdict[tuple[str, int], float] = defaultdict(float)
    for purchase in purchases:
        if purchase.shop == excluded or purchase.customer == "":
            continue
        totals[purchase.customer, purchase.year] += purchase.amount
    return totals
