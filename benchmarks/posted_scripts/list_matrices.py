def matmult(a, b):
    rows_a = len(a)
    cols_a = len(a[0])
    cols_b = len(b[0])

    # Create the result matrix
    # Dimensions would be rows_a x cols_b
    c = [[0 for col in range(cols_b)] for row in range(rows_a)]

    for i in range(rows_a):
        for j in range(cols_b):
            for k in range(cols_a):
                c[i][j] += a[i][k] * b[k][j]
    return c


def transpose(m: list[list[float]]) -> list[list[float]]:
    t = []
    for j in range(len(m[0])):
        row = []
        for i in range(len(m)):
            row.append(m[i][j])
        t.append(row)
    return t
