def kmeans_assign(points: list[float], left: float, right: float) -> list[int]:
    return [0 if abs(point - left) <= abs(point - right) else 1 for point in points]
