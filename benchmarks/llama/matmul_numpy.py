"""A matrix times a vector, in NumPy arrays of single precision."""

import numpy as np
import numpy.typing as npt


def matmul(weight: npt.NDArray[np.float32], inputs: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    rows, cols = weight.shape
    output = np.zeros(rows, dtype=np.float32)
    for i in range(rows):
        for j in range(cols):
            output[i] += weight[i, j] * inputs[j]
    return output
