def remove_outliers(data, m):
    # keep what is at most m standard deviations away from the mean
    n = len(data)
    mean = sum(data) / n
    var = sum((x - mean) ** 2 for x in data) / n
    sd = var ** 0.5
    kept = []
    for x in data:
        if abs(x - mean) <= m * sd:
            kept.append(x)
    return kept
