"""Objects of classes of the file, and variables of the module that functions change."""

from dataclasses import dataclass, field


class LowPass:
    """A filter."""

    def __init__(self, alpha: float) -> None:
        self.alpha = alpha
        self.state = 0.0
        self.count = 0

    def process(self, x: list[float], y: list[float]) -> None:
        for i in range(len(x)):
            y[i] = self.alpha * x[i]
        self.count += len(x)

    def step(self, v: float) -> float:
        self.state = self.state + self.alpha * (v - self.state)
        return self.state

    @property
    def gain(self) -> float:
        return 1.0 / self.alpha

    def scaled(self, x: list[float]) -> list[float]:
        return [v * self.gain for v in x]


@dataclass
class Stats:
    total: float = 0.0
    squares: float = 0.0
    n: int = 0

    def add(self, v: float) -> None:
        self.total += v
        self.squares += v * v
        self.n += 1

    def mean(self) -> float:
        return self.total / self.n


def stats(x: list[float]) -> Stats:
    s = Stats()
    for v in x:
        s.add(v)
    return s


def mean(x: list[float]) -> float:
    s = Stats()
    for v in x:
        s.add(v)
    return s.mean()


@dataclass
class Matrix:
    rows: int
    cols: int
    data: list[float]

    def at(self, i: int, j: int) -> float:
        return self.data[i * self.cols + j]


def matvec(m: Matrix, x: list[float]) -> list[float]:
    y = []
    for i in range(m.rows):
        s = 0.0
        for j in range(m.cols):
            s += m.at(i, j) * x[j]
        y.append(s)
    return y


def add(a: Matrix, b: Matrix) -> Matrix:
    return Matrix(a.rows, a.cols, [p + q for p, q in zip(a.data, b.data)])


def swap(a: Stats, b: Stats) -> None:
    a.total, b.total = b.total, a.total


def copy_total(a: Stats, b: Stats) -> float:
    a.total = b.total + 1.0
    return b.total


history: list[float] = []
limit = 100


def clamp_all(x: list[int]) -> list[int]:
    return [min(v, limit) for v in x]


def set_limit(v: int) -> None:
    global limit
    limit = v


@dataclass
class P:
    a: float
    b: float = 1.0
    xs: list[float] = field(default_factory=list)

    def bump(self, v: float) -> float:
        self.a += v
        return self.a


def both(one: P, other: P) -> float:
    one.a = 5.0
    return other.a


def same_twice(p: P) -> float:
    return both(p, p)


def in_order(p: P) -> float:
    return p.a + 10.0 * p.bump(2.0) + 100.0 * p.a


def added(p: P) -> None:
    p.a += p.bump(1.0)


def where_it_is(p: P, x: list[float]) -> float:
    return p.bump(1.0) if len(x) > 2 and p.bump(4.0) > 3.0 else p.a


def in_loop(x: list[float]) -> float:
    s = 0.0
    for v in x:
        p = P(v)
        p.bump(1.0)
        s += p.a
    return s


def grown(x: list[float]) -> P:
    p = P(0.0)
    for v in x:
        p.xs.append(v)
    return p


def by_name(x: list[float]) -> P:
    return P(b=x[0], a=x[1], xs=[2.0])


def maybe(x: list[float]) -> P | None:
    if len(x) == 0:
        return None
    return P(x[0], 2.0, [x[0]])


class Two:
    SCALE = 3.0

    def __init__(self, x: list[float], n: int = 2) -> None:
        self.u = x
        self.w = x
        self.__n = n
        self.k: int = n + 1
        self.k += 1

    def first(self) -> float:
        self.u[0] = 7.0
        return self.w[0] * self.SCALE

    def hidden(self, x: list[float]) -> int:
        self.__n += len(x)
        return self.__n


def shared_fields(x: list[float]) -> float:
    t = Two(x)
    t.u[0] = 1.0
    t.w[0] = 2.0
    return t.u[0] + x[0] + t.k


def hidden_twice(x: list[float]) -> int:
    t = Two(x, n=5)
    t.hidden(x)
    return t.hidden(x)


counter = 0


def tick() -> int:
    global counter
    counter += 1
    return counter


def two_ticks() -> int:
    return tick() * 10 + tick()


def tick_inside() -> None:
    global counter
    counter += tick() * 100


def local_name(x: list[int]) -> int:
    counter = 5
    for v in x:
        counter += v
    return counter


table: list[int] = [1, 2, 3]


def put(i: int, v: int) -> int:
    table[i] = v
    return table[0]


def looked_up(x: list[int]) -> list[int]:
    return [table[v] for v in x]


LIMIT = 3
LIMIT = 4
OWN = [1, 2, 3]
ROWS = [[1, 2], [3, 4]]
NAMED = [1, 2, 3]
ADDED = [1, 2]


def _changes():
    OWN[0] = 7
    ROWS[1][0] = 7
    other = NAMED
    other[0] = 7
    ADDED.append(3)


def set_twice(n: int):
    return n + LIMIT


def table_that_changes(n: int):
    return OWN[n]


def rows_that_change(n: int):
    return ROWS[n][0]


def table_with_another_name(n: int):
    return NAMED[n]


def table_that_grows(n: int):
    return ADDED[n]


@dataclass
class Point:
    x: float
    y: float

    def dot(self, other: "Point", scale: float = 1.0) -> float:
        return (self.x * other.x + self.y * other.y) * scale

    def squared(self) -> float:
        return self.dot(self)


def lengths(points: list[Point]) -> float:
    s = 0.0
    for p in points:
        s += p.squared()
    return s


def against(points: list[Point], x: float, y: float) -> list[float]:
    to = Point(x, y)
    return [p.dot(to, scale=2.0) for p in points]


def moved(p: Point, by: Point) -> Point:
    return Point(p.x + by.x, p.y + by.y)


class Pair:
    def __init__(self, a: float, b: float) -> None:
        self.a, self.b = b, a
        self.c = self.a - self.b


def of_a_pair(x: float, y: float) -> float:
    p = Pair(x, y)
    return p.a + 2.0 * p.b + 4.0 * p.c
