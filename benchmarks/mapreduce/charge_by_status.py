from dataclasses import dataclass


@dataclass
class Item:
    returned: str
    status: str
    price: float
    discount: float
    tax: float
    shipped: int


def charge_by_status(items: list[Item], cutoff: int) -> dict[tuple[str, str], float]:
    charge: dict[tuple[str, str], float] = {}
    for item in items:
        if item.shipped <= cutoff:
            key = (item.returned, item.status)
            charge[key] = charge.get(key, 0.0) + item.price * (1.0 - item.discount) * (1.0 + item.tax)
    return charge
