from collections import defaultdict
from dataclasses import dataclass


@dataclass
class Pixel:
    red: int
    green: int
    blue: int


def pixel_histograms(pixels: list[Pixel]) -> tuple[dict[int, int], dict[int, int], dict[int, int]]:
    reds: dict[int, int] = defaultdict(int)
    greens: dict[int, int] = defaultdict(int)
    blues: dict[int, int] = defaultdict(int)
    for pixel in pixels:
        reds[pixel.red] += 1
        greens[pixel.green] += 1
        blues[pixel.blue] += 1
    return reds, greens, blues
