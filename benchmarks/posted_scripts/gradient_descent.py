import numpy as np


def gradient_descent(X: np.ndarray, y: np.ndarray, alpha: float, numIterations: int):
    m = X.shape[0]
    # column of ones for the bias
    Xb = np.concatenate((np.ones((m, 1)), X), axis=1)
    theta = np.zeros(Xb.shape[1])
    J_history = np.zeros(numIterations)
    for i in range(numIterations):
        hypothesis = np.dot(Xb, theta)
        loss = hypothesis - y
        # avg cost per example (the 2 in 2*m doesn't really matter here.
        # But to be consistent with the gradient, I include it)
        J_history[i] = np.sum(loss ** 2) / (2 * m)
        # avg gradient per example
        gradient = np.dot(Xb.T, loss) / m
        # update
        theta = theta - alpha * gradient
    return theta, J_history
