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

    def add(self, other):
        return Column(x + y for x, y in zip(self.values, other.values))

    def scale(self, factor):
        return Column(factor * x for x in self.values)

    def total(self):
        return sum(self.values)
