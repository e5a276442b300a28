"""Canonical prefix codes from the lengths of the symbols' codes; a symbol of length 0 is not used."""


def prefix_codes(lengths: list[int], longest: int) -> list[int]:
    counts = [0] * (longest + 1)
    for length in lengths:
        if length > 0:
            counts[length] += 1
    following = [0] * (longest + 1)
    code = 0
    for bits in range(1, longest + 1):
        code = (code + counts[bits - 1]) << 1
        following[bits] = code
    codes = [0] * len(lengths)
    for symbol in range(len(lengths)):
        length = lengths[symbol]
        if length > 0:
            codes[symbol] = following[length]
            following[length] += 1
    return codes
