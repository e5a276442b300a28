from collections import defaultdict
from dataclasses import dataclass


@dataclass(frozen=True)
class Shift:
    employee: str
    department: str
    hours: float
    weekend: bool


def overtime_hours(shifts: list[Shift], limit: float) -> dict[str, float]:
    """Hours above the limit, by department. Shifts on weekends are paid in another way and don't count."""
    overtime: defaultdict[str, float] = defaultdict(float)
    for shift in shifts:
        if shift.weekend or shift.hours <= limit:
            continue
        overtime[shift.department] += shift.hours - limit
    return dict(overtime)
