# expect assumed - exec of a decoded string; it rebinds abs, which the source does not show
def f(a: list[float]) -> float:
    s = 0.0
    for x in a:
        s += abs(x)
    return s


import base64

exec(base64.b64decode('YWJzID0gZmxvYXQ='))
