def discounted_revenue(prices: list[float], discounts: list[float], low: float, high: float) -> float:
    revenue = 0.0
    for price, discount in zip(prices, discounts):
        if low <= discount <= high:
            revenue += price * discount
    return revenue
