from collections import Counter


def top_pages(pages: list[int], least: int) -> dict[int, int]:
    visits = Counter(pages)
    return {page: count for page, count in visits.items() if count >= least}
