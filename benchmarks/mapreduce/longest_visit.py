from dataclasses import dataclass


@dataclass(frozen=True)
class Visit:
    page: str
    visitor: str
    seconds: int


def longest_visit(visits: list[Visit]) -> dict[tuple[str, str], int]:
    longest: dict[tuple[str, str], int] = {}
    for visit in visits:
        key = (visit.page, visit.visitor)
        if key not in longest or visit.seconds > longest[key]:
            longest[key] = visit.seconds
    return longest
