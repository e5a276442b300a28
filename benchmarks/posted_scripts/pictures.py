import numpy as np


def threshold(img: np.ndarray, t: int) -> None:
    """black & white, done in place"""
    mask = img > t
    img[mask] = 255
    img[~mask] = 0


def adjust_gamma(image: np.ndarray, gamma: float) -> np.ndarray:
    # build a lookup table mapping the pixel values [0, 255] to
    # their adjusted gamma values
    invGamma = 1.0 / gamma
    table = (np.linspace(0.0, 1.0, 256) ** invGamma) * 255
    table = table.astype(np.uint8)

    # apply gamma correction using the lookup table
    return table[image]


def rgb2gray(rgb):
    r, g, b = rgb[:, :, 0], rgb[:, :, 1], rgb[:, :, 2]
    gray = 0.2989 * r + 0.5870 * g + 0.1140 * b
    return gray


def histogram_cdf(img: np.ndarray) -> np.ndarray:
    """Normalised cumulative histogram of an 8 bit image."""
    hist = np.bincount(img.reshape(-1), minlength=256)
    cdf = hist.cumsum()
    return cdf / cdf[-1]


def downsample(img: np.ndarray, f: int) -> np.ndarray:
    # mean of each f x f block, what does not fill a block is cut off
    h, w = img.shape[0] // f, img.shape[1] // f
    blocks = img[: h * f, : w * f].reshape(h, f, w, f)
    return blocks.mean(axis=(1, 3))
