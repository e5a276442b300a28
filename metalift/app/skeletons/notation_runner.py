"""Runs the index notation of the driver NAME. It imports nothing of metalift or of the driver."""

import re


def load(path, function):
    """The function of a text: it takes the source's arguments, changes arrays, and returns the result and then these arrays."""
    with open(path) as file:
        head, statement = file.read().splitlines()
    written, _, value = statement.partition(" = ")
    value = re.sub(r"sum\(i < (\w+), (.*)\)", r"sum((\2) for i in range(\1))", value)
    value, _, size = value.partition(", i < ")
    code = compile(re.sub(r"(\w+)\(i\)", r"\1[i]", value), path, "eval")

    def run(*args):
        values = dict(zip(head.split(), args))
        if not size:
            return eval(code, values)
        array = values[written.removesuffix("(i)")]
        array[: values[size]] = [eval(code, {**values, "i": i}) for i in range(values[size])]
        return array

    return run
