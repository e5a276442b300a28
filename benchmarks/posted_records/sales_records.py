from typing import Dict, List, TypedDict


class Sale(TypedDict):
    date: str  # YYYY-MM-DD
    region: str
    product: str
    quantity: int
    price: float


def total_by_region(sales: List[Sale]) -> Dict[str, float]:
    totals: Dict[str, float] = {}
    for sale in sales:
        if sale["region"] not in totals:
            totals[sale["region"]] = 0.0
        totals[sale["region"]] += sale["quantity"] * sale["price"]
    return totals


def share_by_product(sales: List[Sale]) -> Dict[str, float]:
    """How much of the overall revenue (in percent) every product makes up."""
    revenue: Dict[str, float] = {}
    overall = 0.0
    for s in sales:
        amount = s["quantity"] * s["price"]
        revenue[s["product"]] = revenue.get(s["product"], 0.0) + amount
        overall += amount
    return {product: 100.0 * value / overall for product, value in revenue.items()}


def pivot(sales: List[Sale]) -> Dict[str, Dict[str, int]]:
    # table[region][product] -> number of items sold
    table: Dict[str, Dict[str, int]] = {}
    for s in sales:
        row = table.setdefault(s["region"], {})
        row[s["product"]] = row.get(s["product"], 0) + s["quantity"]
    return table


def revenue_per_month(sales: List[Sale], region: str) -> Dict[str, float]:
    result: Dict[str, float] = {}
    for s in sales:
        if s["region"] != region:
            continue
        month = s["date"][:7]
        result[month] = result.get(month, 0.0) + s["quantity"] * s["price"]
    return result
