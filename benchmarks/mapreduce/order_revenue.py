from dataclasses import dataclass


@dataclass
class Order:
    item: int
    amount: float


@dataclass
class Item:
    id: int
    price: float


def order_revenue(orders: list[Order], items: list[Item]) -> float:
    total = 0.0
    for order in orders:
        for item in items:
            if order.item == item.id:
                total += order.amount * item.price
    return total
