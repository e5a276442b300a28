# expect proved - a module-level comprehension's variable is called K; it has a scope of its own
K = 2.0
SQUARES = [K * K for K in range(5)]
NAMES = {str(len): len for len in (1, 2, 3)}


def f(a: list[float]) -> list[float]:
    o = []
    for i in range(len(a)):
        o.append(K * a[i])
    return o
