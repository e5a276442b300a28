def lin_interp(x_list: list[float], y_list: list[float], x: float) -> float:
    """x_list is ascending. Outside of the table the first or the last value is used."""
    if x <= x_list[0]:
        return y_list[0]
    if x >= x_list[-1]:
        return y_list[-1]
    for i in range(len(x_list) - 1):
        if x_list[i] <= x < x_list[i + 1]:
            slope = (y_list[i + 1] - y_list[i]) / (x_list[i + 1] - x_list[i])
            return y_list[i] + slope * (x - x_list[i])
    return y_list[-1]
