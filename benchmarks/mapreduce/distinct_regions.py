from dataclasses import dataclass


@dataclass
class Sale:
    region: str
    amount: float


def distinct_regions(sales: list[Sale]) -> int:
    return len({sale.region for sale in sales})
