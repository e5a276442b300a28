def discounted(prices: list[float], least: float) -> list[float]:
    kept = []
    for price in prices:
        if price >= least:
            kept.append(price * 0.9)
    return kept
