"""The file: kernels, and the function that launches them on arrays in the device's memory, as the source's is called."""

from __future__ import annotations

import re

from metalift.driver import CannotWrite, Driver, Request, Written
from metalift.ir.expr.nodes import MakeTuple, Var, type_of
from metalift.ir.expr.types import TensorType

from .._tiles.c_text import APART, HEADERS, REFUSE, guard, heading
from ..triton.host import element, launches, reads
from ..triton.writer import Settings
from .text import TYPEDEFS, declared, host, name, word
from .writer import RESULT, CudaWriter, helper_text

TOLD = (
    "PROVED is said of the kernels as programs by blocks of threads, for all sizes of data and of blocks; that this text spells "
    "them is tested: it is run with a C model of threads on the CPU, beside the source. Modelled: threads one after the other "
    "between barriers, shared memory. It has not run on a GPU. What it takes there was neither modelled nor measured."
)
SIZES = {"BLOCK": 256, "BLOCK_M": 16, "BLOCK_N": 16, "BLOCK_K": 16}
MOST = (1 << 31) - 1  # blocks of a grid
CHECK = """\
#define CHECK(call) (void)((call) == cudaSuccess || (REFUSE(cudaGetErrorString(cudaGetLastError())), false))
"""
HELPERS = {
    "blocks_of": """\
/* How many blocks of threads so many indices need. */
static int64_t blocks_of(int64_t count, int64_t block) {
    return count <= 0 ? 0 : (count + block - 1) / block;
}
""",
    "copied": """\
/* A copy of an array of the device. */
static void *copied(const void *array, int64_t count, size_t size) {
    void *copy = NULL;
    if (count > 0) {
        CHECK(cudaMalloc(&copy, (size_t)count * size));
        CHECK(cudaMemcpy(copy, array, (size_t)count * size, cudaMemcpyDeviceToDevice));
    }
    return copy;
}
""",
    "floor_quotient": """\
static int64_t floor_quotient(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}
""",
    "floor_remainder": """\
static int64_t floor_remainder(int64_t a, int64_t b) {
    return a % b < 0 ? a % b + b : a % b;
}
""",
    "least_of": """\
static int64_t least_of(int64_t a, int64_t b) {
    return a < b ? a : b;
}
""",
    "greatest_of": """\
static int64_t greatest_of(int64_t a, int64_t b) {
    return a > b ? a : b;
}
""",
}


def written(request: Request, driver: Driver) -> Written:
    """The file, and which assumptions it checks. Raises CannotWrite."""
    made = _Host(request, driver)
    checks = [guard(request, position) for position in range(len(request.stated))]
    return Written(made.text([line for check in checks for line in check or ()]), tuple(check is not None for check in checks))


class _Host:
    def __init__(self, request: Request, driver: Driver) -> None:
        self.request = request
        self.fragment, self.program = request.fragment, request.program
        if isinstance(self.program.result, MakeTuple):
            raise CannotWrite("a function of C returns one number")
        if not re.fullmatch(r"[A-Za-z_]\w*", self.fragment.name):
            raise CannotWrite(f"{self.fragment.name} is no name of a function in C")
        names = {param.var.name: name(param.var.name) for param in self.fragment.params}
        if len(set(names.values())) < len(names) or any(shown != each for each, shown in names.items()):
            raise CannotWrite("a parameter is called by a name that means something else in the text")
        self.lets = {let.var: let.value for let in self.program.lets}
        self.settings = Settings(driver, self.program.parameters, self.lets, names, host)
        self.launches = launches(self.program)
        self.changed = list(dict.fromkeys(write.array for write in self.program.writes))

    def text(self, checks: list[str]) -> str:
        """Everything in order."""
        held = self.held()
        body: list[str] = [*checks, *self.copies(held)]
        kernels: list[str] = []
        helpers: dict[str, str] = {}
        for number, launch in enumerate(self.launches, 1):
            called = f"{self.fragment.name}_kernel" + (f"_{number}" if len(self.launches) > 1 else "")
            writer = CudaWriter(self.settings, launch, held)
            writer.write()
            for (kind, type_), helper in writer.helpers.items():
                helpers[helper] = helper_text(kind, type_, helper, writer.threads)
            kernels.append(kernel_text(writer, called))
            body += self.start(writer, called, number)
        result = self.program.result
        body += [f"if ({shown} != {array})\n        CHECK(cudaFree((void *){shown}));" for array, shown in held.items()]
        if result is None:
            body.append("CHECK(cudaDeviceSynchronize());")
        else:
            typed = word(type_of(result))
            body += [
                f"{typed} returned;",
                f"CHECK(cudaMemcpy(&returned, {RESULT}, sizeof returned, cudaMemcpyDeviceToHost));",
                f"CHECK(cudaFree({RESULT}));",
                "return returned;",
            ]
        used = set(re.findall(r"\w+", "\n".join(body)))
        functions = [text for called, text in HELPERS.items() if called in used]
        functions += [APART] if "apart" in used else []
        blocks = [f"#ifndef {each.name}\n#define {each.name} {size(each)}\n#endif\n" for each in self.settings.blocks]
        params = ", ".join(
            declared(param.var.type, param.var.name, constant=param.var not in self.changed) for param in self.fragment.params
        )
        returned = "void" if result is None else word(type_of(result))
        parts = [
            *heading(self.request, TOLD), "", TYPEDEFS + "\n".join([*HEADERS, "", "#include <cuda_runtime.h>", "#endif", ""]),
            *blocks, *helpers.values(), *kernels,
            "#ifndef __CUDACC_RTC__ /* what the host does; arrays are in the memory of the device */",
            REFUSE, CHECK, *functions,
            "#ifdef __cplusplus", 'extern "C"', "#endif",
            f"{returned} {self.fragment.name}({params}) {{", *(f"    {line}" for line in body), "}", "#endif", "",
        ]  # fmt: skip
        return "\n".join(parts)

    def held(self) -> dict[str, str]:
        """The arrays of which kernels read what was there before any of them wrote."""
        found: dict[str, str] = {}
        for position, launch in enumerate(self.launches):
            earlier = [one.array for one in self.launches[:position] if one.array is not None]
            for read in reads(launch, self.lets):
                same = launch.array is not None and self.may_be(launch.array, read.array) and read.indices != launch.indices
                if same or any(self.may_be(array, read.array) for array in earlier):
                    found[read.array.name] = f"{name(read.array.name)}_before"
        return found

    def may_be(self, written: Var, read: Var) -> bool:
        """Whether two arrays may be one: those of one type may, unless it is assumed that they have nothing in common."""
        apart = {frozenset(pair[:2]) for pair in self.request.pairs if pair is not None and not pair[2]}
        return written == read or (element(written) == element(read) and frozenset((written.name, read.name)) not in apart)

    def copies(self, held: dict[str, str]) -> list[str]:
        """The statements that make them, before anything is launched."""
        lines = []
        for array, shown in held.items():
            var = next(param.var for param in self.fragment.params if param.var.name == array)
            assert isinstance(var.type, TensorType)
            extents = self.request.summary.shapes.get(array, ())
            if len(extents) != 1:
                raise CannotWrite(f"{array} would be copied, and how many elements it has is not known")
            typed = word(var.type.element)
            copy = f"(const {typed} *)copied({array}, {host(extents[0])}, sizeof *{array})"
            alike = [f"{array} == {each.name}" for each in self.changed if self.may_be(each, var)]
            some = "" if var in self.changed else f"{' || '.join(alike)} ? "
            lines.append(f"const {typed} *{shown} = {some}{copy}{f' : {array}' if some else ''};")
        return lines

    def start(self, writer: CudaWriter, called: str, number: int) -> list[str]:
        """The statements of a launch."""
        lines = []
        if writer.launch.array is None:
            typed = word(type_of(writer.launch.value))
            lines += [f"{typed} *{RESULT} = NULL;", f"CHECK(cudaMalloc((void **)&{RESULT}, sizeof *{RESULT}));"]
        blocks = f"blocks_{number}" if len(self.launches) > 1 else "blocks"
        passed = ", ".join(given for _, given in writer.params.values())
        if not writer.counts:
            return [*lines, f"{called}<<<1, {writer.threads}>>>({passed});", "CHECK(cudaGetLastError());"]
        lines.append(f"const int64_t {blocks} = {' * '.join(writer.counts)};")
        lines += [f"if ({blocks} > {MOST})", f'    REFUSE("{called} would have more than {MOST} blocks");']
        lines += [f"if ({blocks} > 0) {{", f"    {called}<<<(unsigned){blocks}, {writer.threads}>>>({passed});"]
        return [*lines, "    CHECK(cudaGetLastError());", "}"]


def kernel_text(writer: CudaWriter, called: str) -> str:
    """The definition of a kernel."""
    params = ", ".join(f"{kind}{shown}" for shown, (kind, _) in writer.params.items())
    return "\n".join([f"__global__ void {called}({params}) {{", *writer.lines, "}", ""])


def size(block: Var) -> int:
    """How many threads, unless another number is defined."""
    return SIZES.get(block.name.rstrip("_0123456789"), 16)
