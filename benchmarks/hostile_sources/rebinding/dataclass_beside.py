# expect proved - a dataclass whose fields are called sum and len does not touch the builtins
from dataclasses import dataclass, field


@dataclass
class Stats:
    sum: float = 0.0
    len: int = 0
    values: list[float] = field(default_factory=list)


def f(a: list[float]) -> float:
    return sum(x * x for x in a)
