from dataclasses import dataclass


@dataclass
class Order:
    customer: str
    status: str
    days: int


def late_orders(orders: list[Order]) -> int:
    late = 0
    for order in orders:
        if order.status != "closed" and order.days > 30:
            late += 1
    return late
