from dataclasses import dataclass


@dataclass(frozen=True)
class Visit:
    page: str
    visitor: str
    seconds: int


def visitors(visits: list[Visit], page: str, least: int) -> set[str]:
    seen = set()
    for visit in visits:
        if visit.page == page and visit.seconds >= least:
            seen.add(visit.visitor)
    return seen
