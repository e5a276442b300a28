"""Normal blend, opacity in 255ths, not normalised: o*a + (255-o)*b."""


def normal_8(base: list[int], active: list[int], opacity: int) -> list[int]:
    return [opacity * a + (255 - opacity) * b for a, b in zip(active, base)]
