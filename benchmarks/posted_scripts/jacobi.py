import numpy as np


def jacobi(A, b, x, N):
    """Solves the equation Ax=b via the Jacobi iterative method.

    A : square matrix, x : initial guess, N : number of iterations
    """
    # Create a vector of the diagonal elements of A
    # and subtract them from A
    D = np.diag(A)
    R = A - np.diag(D)

    # Iterate for N times
    for i in range(N):
        x = (b - np.dot(R, x)) / D
    return x
