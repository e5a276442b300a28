from collections import defaultdict
from dataclasses import dataclass


@dataclass
class Sale:
    region: str
    product: int
    amount: float


def sales_by_region(sales: list[Sale]) -> dict[str, float]:
    totals: dict[str, float] = defaultdict(float)
    for sale in sales:
        totals[sale.region] += sale.amount
    return totals
