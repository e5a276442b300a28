"""Two sums and a product, doubled."""


def test(base: int, arg1: int, base2: int, arg2: int) -> int:
    a = 0
    a += base + base2
    a += arg1 * arg2
    return a + a
