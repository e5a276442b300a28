"""Which folders are packages: `metalift`, and `drivers` under the name `metalift_drivers`; all else is in pyproject.toml."""

from setuptools import find_packages, setup

DRIVERS = "metalift_drivers"

setup(
    packages=[
        *find_packages(include=["metalift", "metalift.*"]),
        DRIVERS,
        *(f"{DRIVERS}.{name}" for name in find_packages("drivers")),
    ],
    package_dir={"metalift": "metalift", DRIVERS: "drivers"},
)
