from dataclasses import dataclass


@dataclass
class Employee:
    name: str
    department: int
    salary: float


def employees_above(employees: list[Employee], department: int, salary: float) -> list[str]:
    return [each.name for each in employees if each.department == department and each.salary > salary]
