#!/usr/bin/env python3
"""Writes tests/images/ssim_reference.json: what scikit-image says of small generated pairs of pictures.

    pip install scikit-image==0.26 && python3 scripts/ssim_reference.py > tests/images/ssim_reference.json

The pictures come from a generator that src/compare/ssim_reference.rs has too, so that only numbers are stored.
Per pair: [seed, width, height, mean, lowest value of the full map, [[x, y, channel, value], ...]].
Below 7 pixels structural_similarity refuses; there the same formula is applied to scipy's uniform_filter, and the mean
leaves out no pixels along the short side.
"""
import json
import warnings

import numpy as np
from scipy.ndimage import uniform_filter
from skimage.metrics import structural_similarity

WINDOW = 7


class Random:
    def __init__(self, seed):
        self.state = (seed * 2654435761) & 0xFFFFFFFF | 1

    def next(self):
        s = self.state
        s ^= (s << 13) & 0xFFFFFFFF
        s ^= s >> 17
        s ^= (s << 5) & 0xFFFFFFFF
        self.state = s
        return s

    def below(self, limit):
        return (self.next() >> 8) % limit

    def colour(self):
        return [self.below(256) for _ in range(3)]


def rectangle(random, picture):
    height, width, _ = picture.shape
    left, top = random.below(width), random.below(height)
    right, bottom = left + 1 + random.below(width), top + 1 + random.below(height)
    picture[top:bottom, left:right] = random.colour()


def noise(random, width, height):
    return np.array([random.below(256) for _ in range(width * height * 3)], np.uint8).reshape(height, width, 3)


def pair(seed, width, height):
    random = Random(seed)
    if seed % 3 == 0:
        a = noise(random, width, height)
    else:
        a = np.empty((height, width, 3), np.uint8)
        a[:] = random.colour()
        for _ in range(6 if seed % 3 == 1 else 0):
            rectangle(random, a)
    b = a.copy()
    change = seed % 5
    if change == 0:
        b = noise(random, width, height)
    elif change == 1:
        for _ in range(1 + random.below(5)):
            x, y = random.below(width), random.below(height)
            b[y, x] = random.colour()
    elif change == 2:
        b = np.minimum(a.astype(int) + 1, 255).astype(np.uint8)
    elif change == 3:
        b[:, 1:] = a[:, :-1]
    else:
        rectangle(random, b)
    return a, b


def small(a, b):
    """structural_similarity's formula where it refuses; the same as its map elsewhere."""
    norm = WINDOW**2 / (WINDOW**2 - 1)
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    full = np.empty(a.shape)
    for channel in range(3):
        x, y = a[..., channel].astype(float), b[..., channel].astype(float)
        mean = lambda z: uniform_filter(z, size=WINDOW)
        ux, uy = mean(x), mean(y)
        vx, vy, vxy = (norm * (mean(p * q) - mean(p) * mean(q)) for p, q in ((x, x), (y, y), (x, y)))
        full[..., channel] = (2 * ux * uy + c1) * (2 * vxy + c2) / ((ux**2 + uy**2 + c1) * (vx + vy + c2))
    cut = [slice(None) if n < WINDOW else slice(3, n - 3) for n in a.shape[:2]]
    return full[cut[0], cut[1]].mean(), full


def measure(a, b):
    mean, full = small(a, b)
    if min(a.shape[:2]) >= WINDOW:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs, map_ = structural_similarity(a, b, win_size=WINDOW, channel_axis=-1, data_range=255, full=True)
        assert abs(theirs - mean) < 1e-9 and np.abs(map_ - full).max() < 1e-9, "the formula above is theirs"
        mean, full = theirs, map_
    return mean, full


def main():
    rows = []
    sizes = [(7, 7), (8, 7), (9, 21), (16, 16), (31, 13), (33, 40), (64, 10), (70, 24), (65, 66)]
    sizes += [(1, 1), (2, 2), (3, 3), (6, 6), (1, 40), (40, 1), (5, 7), (10, 3), (2, 130)]
    for seed in range(1, 271):
        width, height = sizes[seed % len(sizes)] if seed % 4 else sizes[seed // 4 % 9]
        a, b = pair(seed, width, height)
        mean, full = measure(a, b)
        spots = Random(seed + 100000)
        samples = []
        for _ in range(8):
            x, y, channel = spots.below(width), spots.below(height), spots.below(3)
            samples.append([x, y, channel, round(float(full[y, x, channel]), 9)])
        rows.append([seed, width, height, round(float(mean), 12), round(float(full.min()), 9), samples])
    print("[" + ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows) + "]")


main()
