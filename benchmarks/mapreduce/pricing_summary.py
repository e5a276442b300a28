def pricing_summary(flags: list[int], quantities: list[int], latest: int) -> dict[int, int]:
    totals: dict[int, int] = {}
    for flag, quantity in zip(flags, quantities):
        if quantity <= latest:
            totals[flag] = totals.get(flag, 0) + quantity
    return totals
