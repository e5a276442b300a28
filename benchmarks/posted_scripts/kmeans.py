import numpy as np


def closest_centroids(points: np.ndarray, centroids: np.ndarray) -> np.ndarray:
    """returns an array containing the index to the nearest centroid for each point"""
    distances = np.sqrt(((points - centroids[:, np.newaxis]) ** 2).sum(axis=2))
    return np.argmin(distances, axis=0)
