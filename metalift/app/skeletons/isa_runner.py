"""Runs the assembly of the driver NAME. It imports nothing of metalift or of the driver."""


def lanes(values):
    if len(values) > 256:
        raise ValueError(f"{len(values)} lanes")
    return values


UNITS = {
    "adds": lambda x, y: [min(max(a + b, -128), 127) for a, b in zip(x, y)],
    "maxk": lambda x, k: [max(a, k) for a in x],
}


def load(path, function):
    """The function of a text: it takes the source's arguments, changes arrays, and returns the result and then these arrays."""
    with open(path) as file:
        (_, *params), *lines = [line.split() for line in file]

    def run(*args):
        values = dict(zip(params, args))
        results = []

        def value(word):
            return values[word] if word in values else int(word)

        for first, *rest in lines:
            if first == "return":
                results.insert(0, value(rest[0]))
            elif first == "store":
                name, register, count = rest
                values[name][: value(count)] = lanes(value(register))
                results.append(values[name])
            elif rest[0] == "load":
                values[first] = lanes(value(rest[1])[: value(rest[2])])
            else:
                values[first] = UNITS[rest[0]](*map(value, rest[1:]))
        return results[0] if len(results) == 1 else tuple(results)

    return run
