from collections import Counter
from dataclasses import dataclass


@dataclass
class Ticket:
    id: int
    status: str
    assignee: str


def status_counts(tickets: list[Ticket]) -> Counter[str]:
    return Counter(t.status for t in tickets)
