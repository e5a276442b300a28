"""Normal blend of floats: o*a + (1-o)*b."""


def normal_f(base: list[float], active: list[float], opacity: float) -> list[float]:
    out = []
    for b, a in zip(base, active):
        out.append(opacity * a + (1.0 - opacity) * b)
    return out
