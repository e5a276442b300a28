import numpy as np


def compute_distances_one_loop(X, X_train):
    """dists[i, j] is the Euclidean distance between test point i and training point j."""
    num_test = X.shape[0]
    num_train = X_train.shape[0]
    dists = np.zeros((num_test, num_train))
    for i in range(num_test):
        dists[i, :] = np.sqrt(np.sum((X_train - X[i, :]) ** 2, axis=1))
    return dists
