from typing import NamedTuple


class Line(NamedTuple):
    item: str
    quantity: int
    price: float
    discount: float


class Price(NamedTuple):
    item: str
    total: float


def line_prices(lines: list[Line]) -> list[Price]:
    return [Price(line.item, line.quantity * line.price * (1 - line.discount)) for line in lines if line.quantity > 0]
