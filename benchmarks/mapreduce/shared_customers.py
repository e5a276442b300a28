def shared_customers(shop: list[str], online: list[str]) -> set[str]:
    return set(shop) & set(online)
