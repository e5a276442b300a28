import numpy as np

def one_hot(a, num_classes):
    b = np.zeros((a.size, num_classes), dtype=int)
    b[np.arange(a.size), a] = 1
    return b
