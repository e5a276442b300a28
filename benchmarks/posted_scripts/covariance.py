import numpy as np
import numpy.typing as npt


def covariance_matrix(X: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """rows are observations, columns are variables (same as np.cov(X, rowvar=False))"""
    n = X.shape[0]
    Xc = X - X.mean(axis=0)
    return Xc.T @ Xc / (n - 1)
