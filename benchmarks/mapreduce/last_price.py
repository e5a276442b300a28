from dataclasses import dataclass


@dataclass
class Quote:
    symbol: str
    venue: str
    price: float


def last_price(quotes: list[Quote], venue: str) -> dict[str, float]:
    prices: dict[str, float] = {}
    for quote in quotes:
        if quote.venue == venue:
            prices[quote.symbol] = quote.price
    return prices
