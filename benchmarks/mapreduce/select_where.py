def select_where(ages: list[int], scores: list[float], least: int) -> tuple[int, float]:
    count = 0
    total = 0.0
    for age, score in zip(ages, scores):
        if age >= least:
            count += 1
            total += score
    return count, total
