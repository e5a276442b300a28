"""Linear regression by stochastic gradient descent: the weights change with every sample."""


def regression_descent(xs: list[list[float]], ys: list[float], w: list[float], rate: float, epochs: int) -> None:
    for _ in range(epochs):
        for i in range(len(ys)):
            predicted = 0.0
            for j in range(len(w)):
                predicted += w[j] * xs[i][j]
            error = predicted - ys[i]
            for j in range(len(w)):
                w[j] -= rate * error * xs[i][j]
