from dataclasses import dataclass


@dataclass
class Visit:
    page: str
    rank: int
    seconds: int


def ranked_pages(visits: list[Visit], least: int) -> list[tuple[str, int]]:
    ranked = []
    for visit in visits:
        if visit.rank > least:
            ranked.append((visit.page, visit.rank))
    return ranked
