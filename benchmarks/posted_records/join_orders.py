from typing import Dict, List, NamedTuple, Tuple


class Customer(NamedTuple):
    id: int
    name: str
    city: str


class Order(NamedTuple):
    order_id: int
    customer_id: int
    amount: float


def join_orders(orders: List[Order], customers: List[Customer]) -> List[Tuple[int, str, float]]:
    """Inner join: order id, name of the customer, amount."""
    by_id = {c.id: c for c in customers}
    joined = []
    for o in orders:
        if o.customer_id in by_id:
            joined.append((o.order_id, by_id[o.customer_id].name, o.amount))
    return joined


def amount_by_city(orders: List[Order], customers: List[Customer]) -> Dict[str, float]:
    city = {}
    for c in customers:
        city[c.id] = c.city

    totals: Dict[str, float] = {}
    for o in orders:
        # left join, we don't know the city of every customer
        key = city.get(o.customer_id, "unknown")
        totals[key] = totals.get(key, 0) + o.amount
    return totals
