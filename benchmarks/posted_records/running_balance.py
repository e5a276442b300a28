from dataclasses import dataclass


@dataclass
class Transaction:
    account: int
    kind: str  # "deposit" or "withdrawal"
    cents: int


def running_balance(transactions: list[Transaction]) -> list[int]:
    # the balance of the account after each of the transactions
    balances: dict[int, int] = {}
    history: list[int] = []
    for t in transactions:
        current = balances.get(t.account, 0)
        if t.kind == "deposit":
            current += t.cents
        else:
            current -= t.cents
        balances[t.account] = current
        history.append(current)
    return history
