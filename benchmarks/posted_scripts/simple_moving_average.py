def sma(data, period):
    result = []
    for i in range(len(data) - period + 1):
        total = 0
        for j in range(i, i + period):
            total += data[j]
        result.append(total / period)
    return result
