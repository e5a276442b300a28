import numpy as np


def conv_forward(x, w, b):
    N, C, H, W = x.shape
    F, _, HH, WW = w.shape
    out = np.zeros((N, F, H - HH + 1, W - WW + 1))
    for n in range(N):
        for f in range(F):
            for i in range(H - HH + 1):
                for j in range(W - WW + 1):
                    window = x[n, :, i:i + HH, j:j + WW]
                    out[n, f, i, j] = np.sum(window * w[f]) + b[f]
    return out


def to_gray(image):
    h, w = image.shape[:2]
    out = np.empty((h, w))
    for i in range(h):
        for j in range(w):
            out[i, j] = 0.299 * image[i, j, 0] + 0.587 * image[i, j, 1] + 0.114 * image[i, j, 2]
    return out


def resize_nearest(image, height, width):
    h, w = image.shape[:2]
    out = np.empty([height, width])
    for i in range(height):
        for j in range(width):
            out[i][j] = image[i * h // height, j * w // width]
    return out


def mean_filter(img, k):
    h, w = img.shape
    pad = k // 2
    padded = np.pad(img, pad, mode='edge')
    res = np.zeros_like(img, dtype=float)
    for i in range(h):
        for j in range(w):
            res[i, j] = padded[i:i+k, j:j+k].mean()
    return res


def central_differences(x: list[float]) -> list[float]:
    n = len(x)
    out = []
    for i in range(n):
        out.append((x[min(n - 1, i + 1)] - x[max(0, i - 1)]) / 2)
    return out


def lagged_change(x: list[float], k: int) -> list[float]:
    out = []
    for i in range(len(x)):
        before = max(0, i - k)
        out.append(x[i] - x[before])
    return out
