"""Which folders are packages, and under which names: `drivers` is `metalift_drivers`, the sources of the LLVM pass are data
of the package. All else is in pyproject.toml."""

from setuptools import find_packages, setup

DRIVERS = "metalift_drivers"
LLVM_PASS = "metalift.llvm_pass"

setup(
    packages=[
        *find_packages(include=["metalift", "metalift.*"]),
        LLVM_PASS,
        DRIVERS,
        *(f"{DRIVERS}.{name}" for name in find_packages("drivers")),
    ],
    package_dir={"metalift": "metalift", DRIVERS: "drivers", LLVM_PASS: "llvm-pass"},
    package_data={LLVM_PASS: ["*.cpp", "*.h", "CMakeLists.txt", "README.md"]},
)
