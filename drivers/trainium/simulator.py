"""A reference simulator of the part of NKI that kernels here use, in NumPy. It imports nothing of the driver.

It is strict: what was not written cannot be read, shapes are equal, limits raise, the memories have a size, an element of a
result is written once. Loops whose iterations may run in any order run backwards. It counts cycles by a model, for each engine,
and bytes that are moved.
"""

import sys
import types
import weakref

import numpy as np

ROWS = 128
SBUF = 176 << 10  # bytes of a partition
BANKS = 8
BANK = 2 << 10  # bytes of a partition in a bank of PSUM
COLUMNS = 512  # of a product
FEWEST = 64  # cycles of any instruction
RANGES = {"sqrt": (2.0**-116, 2.0**118), "rsqrt": (2.0**-87, 2.0**97), "log": (2.0**-64, 2.0**64)}
INTEGER = {"bitwise_and", "bitwise_or", "bitwise_xor", "right_shift", "left_shift"}


class Refused(Exception):
    """The chip does not do this; by its kinds."""


class NotWritten(Refused):
    """What was not written is read, or left so in a result."""


class WrittenTwice(Refused):
    """An element of a result is written again, or what is no result."""


class OutOfBounds(Refused):
    """An access pattern leaves its array."""


class NoRoom(Refused):
    """A tile is too large, or a memory full."""


class WrongShape(Refused):
    """Operands that do not fit each other."""


class WrongMemory(Refused):
    """An engine does not reach the memory."""


class WrongType(Refused):
    """Elements that the instruction does not take."""


class OutOfRange(Refused):
    """A number outside of what the instruction is made for."""


class NoInstruction(Refused):
    """No engine computes this."""


class Chip:
    """What runs: how full the memories are, cycles by engine, bytes by DMA."""

    def __init__(self):
        self.used = {"sbuf": 0, "psum": 0}
        self.peak = {"sbuf": 0, "psum": 0}
        self.cycles = {"tensor": 0, "vector": 0, "scalar": 0, "gpsimd": 0}
        self.bytes = 0

    def take(self, tile, space, size, limit):
        """Memory for a tile, which is free again when nothing names it."""
        self.used[space] += size
        self.peak[space] = max(self.peak[space], self.used[space])
        weakref.finalize(tile, self.free, space, size)
        if self.used[space] > limit:
            raise NoRoom(f"{space} is full: {self.used[space]} of {limit}")

    def free(self, space, size):
        self.used[space] -= size

    def spend(self, engine, cycles):
        self.cycles[engine] += max(FEWEST, int(cycles))


chip = Chip()


class Memory:
    """A tensor in main memory. `once`: its elements may be written once each, and not read."""

    def __init__(self, values, written, once):
        self.values, self.written, self.once = values, written, once
        self.shape, self.dtype = values.shape, values.dtype

    def ap(self, pattern, offset=0):
        """The elements at an access pattern: [[step, number], ...] of each axis."""
        places = np.array(offset)
        for step, count in pattern:
            if count < 1:
                raise OutOfBounds("an access pattern without elements")
            places = places[..., None] + step * np.arange(count)
        if places.min() < 0 or places.max() >= self.values.size:
            raise OutOfBounds(f"an access pattern from {places.min()} to {places.max()} in {self.values.size} elements")
        return Pattern(self, places)


class Pattern:
    """Some elements of main memory."""

    def __init__(self, memory, places):
        self.memory, self.places = memory, places

    def read(self):
        if self.memory.once or not self.memory.written.reshape(-1)[self.places].all():
            raise NotWritten("main memory is read before it is written")
        return self.memory.values.reshape(-1)[self.places]

    def write(self, values):
        flat = self.memory.written.reshape(-1)
        if not self.memory.once or flat[self.places].any() or np.unique(self.places).size != self.places.size:
            raise WrittenTwice("an element of main memory is written twice, or is no result")
        flat[self.places] = True
        self.memory.values.reshape(-1)[self.places] = cast(values, self.memory.dtype)


class Tile:
    """A tile of SBUF or PSUM; it holds nothing until it is written."""

    def __init__(self, shape, dtype, space):
        rows, columns = (int(each) for each in shape)
        if not 1 <= rows <= ROWS or columns < 1:
            raise NoRoom(f"a tile of {rows} x {columns}: there are {ROWS} partitions")
        self.shape, self.dtype, self.space = (rows, columns), np.dtype(dtype), space
        self.values, self.written, self.summed = np.zeros(self.shape, dtype), False, False
        size = columns * self.dtype.itemsize
        if space == "psum":
            if size > BANK or self.dtype != np.float32:
                raise NoRoom(f"{columns} columns of {self.dtype} in PSUM: a bank has {COLUMNS} of float32")
            chip.take(self, space, 1, BANKS)
        else:
            chip.take(self, space, size, SBUF)

    def read(self):
        if not self.written:
            raise NotWritten("a tile is read before it is written")
        return self.values

    def write(self, values):
        values = np.asarray(values)
        if values.shape != self.shape:
            raise WrongShape(f"{values.shape} written to a tile of {self.shape}")
        self.values, self.written = cast(values, self.dtype), True


def cast(values, dtype):
    """To fp32, and to the type of the destination: integers are rounded to the nearest, and saturate."""
    dtype = np.dtype(dtype)
    if values.dtype == dtype:
        return values.copy()
    values = values.astype(np.float32)
    if dtype.kind == "f":
        return values.astype(dtype)
    limits = np.iinfo(dtype)
    if np.isnan(values).any():
        raise OutOfRange("NaN as an integer")
    return np.clip(np.rint(values.astype(np.float64)), limits.min, limits.max).astype(dtype)


def working(values, op):
    """Operands as an engine takes them: fp32, but for operators on bits."""
    if op in INTEGER:
        if values.dtype.kind not in "iu":
            raise WrongType(f"{op} of {values.dtype}")
        return values.astype(np.int64)
    return values.astype(np.float32)


OPERATORS = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "minimum": np.minimum, "maximum": np.maximum,
    "less": np.less, "less_equal": np.less_equal, "greater": np.greater, "greater_equal": np.greater_equal, "equal": np.equal,
    "logical_and": np.logical_and, "logical_or": np.logical_or, "bitwise_and": np.bitwise_and, "right_shift": np.right_shift,
    "left_shift": np.left_shift, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor,
}  # fmt: skip
UNARY = {
    "exp": np.exp, "sqrt": np.sqrt, "log": np.log, "abs": np.abs, "copy": lambda x: x,
    "rsqrt": lambda x: np.float32(1) / np.sqrt(x), "tanh": np.tanh, "square": np.square,
    "silu": lambda x: x / (np.float32(1) + np.exp(-x)),
}  # fmt: skip


def computed(op, left, right):
    """One step of arithmetic, in fp32."""
    if op not in OPERATORS:
        raise NoInstruction(f"no engine has {op}")
    made = OPERATORS[op](working(left, op), working(right, op))
    return made if made.dtype.kind in "iu" and op in INTEGER else made.astype(np.float32)


def scalar(operand, op, rows):
    """A constant, or a tile of one column."""
    if isinstance(operand, Tile):
        if operand.shape != (rows, 1) or operand.dtype != np.float32 or operand.space == "psum":
            raise WrongType("an operand that is neither a number nor a column of float32 in SBUF")
        return operand.read()
    return np.array(operand, np.int64 if op in INTEGER else np.float32)


def work(*tiles):
    """All operands are tiles, not all of several are in PSUM."""
    if not all(isinstance(tile, Tile) for tile in tiles):
        raise WrongMemory("an engine reads and writes tiles only")
    if len(tiles) > 1 and all(tile.space == "psum" for tile in tiles):
        raise WrongMemory("both operands are in PSUM")
    return tiles[0].shape[1]


def dma_copy(dst, src):
    """Between main memory and SBUF."""
    for side in (dst, src):
        if isinstance(side, Tile) and side.space == "psum":
            raise WrongMemory("DMA does not reach PSUM")
    values = src.read()
    shape = dst.shape if isinstance(dst, Tile) else dst.places.shape
    if values.shape != shape:
        raise WrongShape(f"{values.shape} copied to {shape}")
    chip.bytes += values.size * values.dtype.itemsize
    dst.write(values)


def memset(dst, value):
    chip.spend("vector", work(dst))
    dst.write(np.full(dst.shape, np.array(value, np.float32 if dst.dtype.kind == "f" else np.int64)).astype(dst.dtype))


def iota(dst, pattern, offset=0, channel_multiplier=0):
    """offset + channel_multiplier * partition + step * column."""
    ((step, count),) = pattern
    if dst.space == "psum":
        raise WrongMemory("GpSimd does not reach PSUM")
    chip.spend("gpsimd", work(dst))
    numbers = offset + channel_multiplier * np.arange(dst.shape[0])[:, None] + step * np.arange(count)
    dst.write(numbers.astype(np.int32))


def tensor_copy(dst, src):
    work(dst)
    chip.spend("vector", work(src))
    dst.write(src.read().astype(np.float32))


def tensor_tensor(dst, data1, data2, op):
    if data1.shape != data2.shape:
        raise WrongShape(f"tensor_tensor of {data1.shape} and {data2.shape}")
    chip.spend("vector", 2 * work(data1, data2))
    dst.write(computed(op, data1.read(), data2.read()))


def tensor_scalar(dst, data, op0, operand0, op1=None, operand1=None):
    chip.spend("vector", work(data))
    made = computed(op0, data.read(), scalar(operand0, op0, data.shape[0]))
    if op1 is not None:
        made = computed(op1, made, scalar(operand1, op1, data.shape[0]))
    dst.write(np.broadcast_to(made, data.shape))


def scalar_tensor_tensor(dst, data, op0, operand0, op1, operand1):
    chip.spend("vector", 2 * work(data, operand1))
    made = computed(op0, data.read(), scalar(operand0, op0, data.shape[0]))
    dst.write(computed(op1, made, operand1.read()))


def folded(op, values, axis):
    """A sum or an extreme in fp32."""
    ways = {"add": np.sum, "maximum": np.max, "minimum": np.min}
    if op not in ways:
        raise NoInstruction(f"no reduction by {op}")
    return ways[op](values.astype(np.float32), axis=axis, keepdims=True).astype(np.float32)


def tensor_reduce(dst, op, data, axis):
    if axis != 1:
        raise NoInstruction("tensor_reduce along the partitions")
    chip.spend("vector", work(data))
    dst.write(folded(op, data.read(), 1))


def tensor_partition_reduce(dst, op, data):
    if data.space == "psum" or dst.space == "psum" or op not in ("add", "maximum"):
        raise WrongMemory("GpSimd does not reach PSUM, and reduces by add and maximum")
    chip.spend("gpsimd", work(data))
    dst.write(folded(op, data.read(), 0))


def tensor_tensor_scan(dst, data0, data1, initial, op0, op1):
    chip.spend("vector", 2 * work(data0, data1))
    last = np.broadcast_to(scalar(initial, op0, data0.shape[0]), (data0.shape[0], 1))
    made = []
    for at in range(data0.shape[1]):
        last = computed(op1, computed(op0, data0.read()[:, at : at + 1], last), data1.read()[:, at : at + 1])
        made.append(last)
    dst.write(np.concatenate(made, axis=1))


def activation(dst, op, data, bias=None, scale=1.0):
    chip.spend("scalar", work(data))
    if op not in UNARY:
        raise NoInstruction(f"no activation {op}")
    values = computed("multiply", data.read(), scalar(scale, "multiply", data.shape[0]))
    if bias is not None:
        values = computed("add", values, scalar(bias, "add", data.shape[0]))
    low, high = RANGES.get(op, (-np.inf, np.inf))
    if (values < low).any() or (values > high).any():
        raise OutOfRange(f"{op} outside of {low} .. {high}")
    dst.write(np.broadcast_to(UNARY[op](values).astype(np.float32), data.shape))


def activation_reduce(dst, op, data, reduce_op, reduce_res, bias=None, scale=1.0):
    """The activation, and the sum of each row; both take the scalar engine."""
    if reduce_op != "add":
        raise NoInstruction("activation_reduce adds")
    before = dict(chip.cycles)
    activation(dst, op, data, bias, scale)
    chip.cycles = before
    chip.spend("scalar", work(data) + 64)
    reduce_res.write(folded(reduce_op, dst.read(), 1))


def tensor_scalar_reduce(dst, data, op0, operand0, reduce_op, reduce_res):
    chip.spend("vector", work(data) + 64)
    made = computed(op0, data.read(), scalar(operand0, op0, data.shape[0]))
    dst.write(np.broadcast_to(made, data.shape))
    reduce_res.write(folded(reduce_op, dst.read(), 1))


def reciprocal(dst, data):
    chip.spend("vector", 8 * work(data))
    dst.write(np.float32(1) / data.read().astype(np.float32))


def nc_matmul(dst, stationary, moving):
    """The first product of a tile overwrites, later ones are added."""
    (k, m), (k2, n) = stationary.shape, moving.shape
    if k != k2 or dst.shape != (m, n) or n > COLUMNS:
        raise WrongShape(f"nc_matmul of {stationary.shape} and {moving.shape} to {dst.shape}")
    if dst.space != "psum" or "psum" in (stationary.space, moving.space):
        raise WrongMemory("nc_matmul goes from SBUF to PSUM")
    if stationary.dtype.kind != "f" or moving.dtype.kind != "f":
        raise WrongType("nc_matmul of integers")
    chip.spend("tensor", 4 * max(min(64, m), n))
    made = stationary.read().T.astype(np.float32) @ moving.read().astype(np.float32)
    dst.write(dst.read() + made if dst.summed else made)
    dst.summed = True


def nc_transpose(dst, data):
    if data.space == "psum" or dst.space != "psum" or data.shape[1] > ROWS:
        raise WrongMemory("nc_transpose goes from SBUF to PSUM, 128 x 128 at most")
    chip.spend("tensor", 4 * max(64, data.shape[0]))
    dst.write(data.read().T)


def tensor_copy_predicated(dst, src, predicate):
    if predicate.dtype.kind != "u":
        raise WrongType(f"a predicate of {predicate.dtype}")
    if src.shape != dst.shape or predicate.shape != dst.shape:
        raise WrongShape("tensor_copy_predicated of other shapes")
    chip.spend("vector", 2 * work(src))
    dst.write(np.where(predicate.read() != 0, src.read().astype(np.float32), dst.read().astype(np.float32)))


INSTRUCTIONS = (
    dma_copy, memset, iota, tensor_copy, tensor_tensor, tensor_scalar, scalar_tensor_tensor, tensor_reduce,
    tensor_partition_reduce, tensor_tensor_scan, activation, reciprocal, nc_matmul, nc_transpose, tensor_copy_predicated,
    activation_reduce, tensor_scalar_reduce,
)  # fmt: skip


def ndarray(shape, dtype, buffer):
    """A tile, or a result in main memory."""
    if buffer == "hbm":
        return Memory(np.zeros(shape, dtype), np.zeros(shape, bool), True)
    return Tile(shape, dtype, buffer)


def jit(kernel):
    """A kernel as a function of NumPy arrays and numbers; what it leaves unwritten of a result is refused."""

    def run(*args):
        given = [Memory(a.copy(), np.ones(a.shape, bool), False) if isinstance(a, np.ndarray) else a for a in args]
        made = kernel(*given)
        results = made if isinstance(made, tuple) else (made,)
        if not all(result.written.all() for result in results):
            raise NotWritten("a result is not written everywhere")
        return tuple(r.values for r in results) if isinstance(made, tuple) else made.values

    return run


def modules():
    """What `import nki` and its parts stand for."""
    nki, isa, language = (types.ModuleType(name) for name in ("nki", "nki.isa", "nki.language"))
    nki.jit, nki.isa, nki.language = jit, isa, language
    for each in INSTRUCTIONS:
        setattr(isa, each.__name__, each)
    for each in (*OPERATORS, *UNARY):
        setattr(language, each, each)
    for each in ("float32", "int8", "uint8", "int16", "uint16", "int32", "uint32"):
        setattr(language, each, np.dtype(each))
    language.sbuf, language.psum, language.shared_hbm = "sbuf", "psum", "hbm"
    language.ndarray = ndarray
    language.affine_range = lambda count: reversed(range(count))
    language.sequential_range = range
    return {"nki": nki, "nki.isa": isa, "nki.language": language}


def load(path, function):
    """The function in a generated file, to be called as the source's is."""
    before = {name: sys.modules.get(name) for name in modules()}
    sys.modules.update(modules())
    try:
        space = {"__name__": function}
        with open(path, encoding="utf-8") as file:
            exec(compile(file.read(), str(path), "exec"), space)
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module
    return space[function]


def costs(run, *args):
    """The function's results, and what it took: cycles of each engine, bytes moved, the most memory in use."""
    global chip
    chip = Chip()
    results = run(*args)
    return results, {"cycles": chip.cycles, "bytes": chip.bytes, "peak": chip.peak}
