import numpy as np


def power_iteration(A, b_k, num_simulations):
    for _ in range(num_simulations):
        # calculate the matrix-by-vector product Ab
        b_k1 = np.dot(A, b_k)

        # calculate the norm
        b_k1_norm = np.sqrt(np.dot(b_k1, b_k1))

        # re normalize the vector
        b_k = b_k1 / b_k1_norm

    # Rayleigh quotient
    eigenvalue = b_k @ A @ b_k
    return eigenvalue, b_k
