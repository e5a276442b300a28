import numpy as np


def sigmoid(z: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-z))


def cost_function(theta: np.ndarray, X: np.ndarray, y: np.ndarray) -> tuple[float, np.ndarray]:
    m = y.size
    h = sigmoid(X.dot(theta))
    J = -(y.dot(np.log(h)) + (1 - y).dot(np.log(1 - h))) / m
    grad = X.T.dot(h - y) / m
    return J, grad
