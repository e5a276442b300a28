from dataclasses import dataclass


@dataclass
class LineItem:
    quantity: float
    price: float
    discount: float
    flag: str
    status: str
    shipped: int


def line_item_report(items: list[LineItem], cutoff: int) -> dict[tuple[str, str], tuple[float, float, float, float, int]]:
    groups: dict[tuple[str, str], tuple[float, float, float, int]] = {}
    for item in items:
        if item.shipped <= cutoff:
            key = (item.flag, item.status)
            if key not in groups:
                groups[key] = (0.0, 0.0, 0.0, 0)
            quantity, price, charged, n = groups[key]
            discounted = item.price * (1 - item.discount)
            groups[key] = (quantity + item.quantity, price + item.price, charged + discounted, n + 1)
    return {k: (quantity, price, charged, quantity / n, n) for k, (quantity, price, charged, n) in groups.items()}
