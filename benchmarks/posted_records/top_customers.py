def top_customers(rows, k):
    totals = {}
    for row in rows:
        name = row['customer']
        if name in totals:
            totals[name] += row['amount']
        else:
            totals[name] = row['amount']
    ranking = sorted(totals.items(), key=lambda x: x[1], reverse=True)
    return ranking[:k]
