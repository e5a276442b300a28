from typing import NamedTuple


class Rating(NamedTuple):
    film: int
    viewer: str
    stars: int


def average_rating(ratings: list[Rating]) -> dict[int, float]:
    total: dict[int, int] = {}
    count: dict[int, int] = {}
    for rating in ratings:
        total[rating.film] = total.get(rating.film, 0) + rating.stars
        count[rating.film] = count.get(rating.film, 0) + 1
    return {film: total[film] / count[film] for film in total}
