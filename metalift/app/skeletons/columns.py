"""The library of the driver NAME: columns of numbers. Put the real one in its place."""


class Column:
    def __init__(self, values):
        self.values = list(values)

    def __len__(self):
        return len(self.values)

    def __getitem__(self, rows):
        return Column(self.values[rows]) if isinstance(rows, slice) else self.values[rows]

    def __setitem__(self, rows, values):
        self.values[rows] = values.values if isinstance(values, Column) else values

    def each(self, function, other):
        others = other.values if isinstance(other, Column) else [other] * len(self)
        return Column(map(function, self.values, others))

    def add(self, other):
        return self.each(lambda x, y: x + y, other)

    def mul(self, other):
        return self.each(lambda x, y: x * y, other)

    def total(self):
        return sum(self.values)
