"""Functions that Python has of its integers, as lines of Python that say the same: `a0`, `a1`, ... are the arguments, which are
evaluated once, and the last line is the value.
"""

from __future__ import annotations

_DIVISOR = """
divisor, rest = abs(a0), abs(a1)
while rest != 0:
    divisor, rest = rest, divisor % rest
"""
_ROOT = """
if a0 < 0:
    raise ValueError
root = 0
while (root + 1) * (root + 1) <= a0:
    root += 1
root
"""
POWER = """
power = 1
for _ in range(a1):
    power *= a0
power
"""
REMAINDER = """
if a2 == 0:
    raise ValueError
power = 1 % a2
for _ in range(a1):
    power = power * a0 % a2
power
"""
_FACTORIAL = """
if a0 < 0:
    raise ValueError
product = 1
for factor in range(a0):
    product *= factor + 1
product
"""
_CHOICES = """
if a0 < 0 or a1 < 0:
    raise ValueError
choices = 1
for chosen in range(a1):
    choices = choices * (a0 - chosen) // (chosen + 1)
choices
"""
OF_INTEGERS = {  # of integers: how many there are, and the lines
    "math.gcd": (2, f"{_DIVISOR}divisor"),
    "math.lcm": (2, f"{_DIVISOR}0 if divisor == 0 else abs(a0) // divisor * abs(a1)"),
    "math.isqrt": (1, _ROOT),
    "math.factorial": (1, _FACTORIAL),
    "math.comb": (2, _CHOICES),
}
WRITTEN_AS_LOOPS = frozenset(name.removeprefix("math.") for name in OF_INTEGERS)  # all of which repeat something
