from dataclasses import dataclass


@dataclass
class Item:
    quantity: float
    price: float
    discount: float
    shipped: int


def shipped_revenue(items: list[Item], first: int, last: int) -> float:
    revenue = 0.0
    for item in items:
        if first <= item.shipped < last and 0.05 <= item.discount <= 0.07 and item.quantity < 24.0:
            revenue += item.price * item.discount
    return revenue
