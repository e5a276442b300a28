def first_visit(visits: list[tuple[str, str]]) -> dict[str, str]:
    pages: dict[str, str] = {}
    for visitor, page in visits:
        if visitor not in pages:
            pages[visitor] = page
    return pages
