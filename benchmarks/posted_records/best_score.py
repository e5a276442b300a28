from typing import Dict, List, NamedTuple


class Result(NamedTuple):
    player: str
    level: int
    score: int


def best_score(results: List[Result]) -> Dict[str, int]:
    best: Dict[str, int] = {}
    for r in results:
        if r.player not in best or r.score > best[r.player]:
            best[r.player] = r.score
    return best
