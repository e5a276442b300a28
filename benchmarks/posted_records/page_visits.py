from typing import Dict, List, Set, Tuple, TypedDict

Visit = TypedDict("Visit", {"user": str, "page": str, "ts": int})


def first_and_last(visits: List[Visit]) -> Dict[str, Tuple[int, int]]:
    """When every user was seen for the first and for the last time."""
    seen: Dict[str, Tuple[int, int]] = {}
    for v in visits:
        user, ts = v["user"], v["ts"]
        if user in seen:
            lo, hi = seen[user]
            seen[user] = (min(lo, ts), max(hi, ts))
        else:
            seen[user] = (ts, ts)
    return seen


def latest_page(visits: List[Visit]) -> Dict[str, str]:
    latest: Dict[str, Visit] = {}
    for v in visits:
        if v["user"] not in latest or v["ts"] >= latest[v["user"]]["ts"]:
            latest[v["user"]] = v
    return {user: v["page"] for user, v in latest.items()}


def unique_visitors(visits: List[Visit]) -> Dict[str, int]:
    users: Dict[str, Set[str]] = {}
    for v in visits:
        if v["page"] not in users:
            users[v["page"]] = set()
        users[v["page"]].add(v["user"])
    return {page: len(s) for page, s in users.items()}
