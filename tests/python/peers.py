#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Statistics and distances of random counts against numpy and OpenCV."""

import unittest

import gi

import common

gi.require_version('GstVideoHistogram', '1.0')
from gi.repository import GstVideo  # noqa: E402
from gi.repository import GstVideoHistogram as Vh  # noqa: E402

try:
    import numpy
    import cv2
except ImportError as error:
    common.skip(f'{error}; python3-numpy and python3-opencv have them')

LUMA = Vh.VideoHistogramChannel.LUMA
SEED = 20


def make(counts, limited=False):
    """Makes a histogram of 8-bit luma with these counts."""
    info = Vh.VideoHistogramInfo()
    info.format = GstVideo.VideoFormat.I420
    info.depth = 8
    info.colorimetry.range = (GstVideo.VideoColorRange(2) if limited
                              else GstVideo.VideoColorRange(1))
    info.channels = Vh.VideoHistogramChannels.LUMA
    info.bins = len(counts)
    info.columns = info.rows = 1
    info.region_width = int(sum(counts))
    info.region_height = 1
    histogram = Vh.VideoHistogram.new(info)
    assert histogram.set_counts(LUMA, 0, 0, [int(c) for c in counts])
    return histogram


def random_counts(random, bins):
    """Returns counts of many kinds: dense, sparse, one bin, a bell."""
    kind = random.integers(4)
    if kind == 0:
        return random.integers(0, 5000, bins)
    if kind == 1:
        return random.integers(1, 1000, bins) * (random.random(bins) < 0.1) + (
            numpy.arange(bins) == random.integers(bins))
    if kind == 2:
        return 777 * (numpy.arange(bins) == random.integers(bins))
    return numpy.bincount(numpy.clip(random.normal(bins / 2, bins / 9, 20000), 0, bins - 1)
                          .astype(int), minlength=bins)


class Statistics(unittest.TestCase):
    def check(self, counts, limited):
        bins = len(counts)
        black = (16 if limited else 0) * bins >> 8
        white = (235 if limited else 255) * bins >> 8
        index = numpy.repeat(numpy.arange(bins), counts)
        samples = (index - black) / (white - black)
        share = counts[counts > 0] / counts.sum()
        ok, stats = make(counts, limited).get_statistics(LUMA)

        self.assertTrue(ok)
        self.assertEqual(stats.pixels, counts.sum())
        self.assertAlmostEqual(stats.average, samples.mean(), 9)
        self.assertAlmostEqual(stats.variance, samples.var(), 9)
        self.assertAlmostEqual(stats.min, samples.min(), 12)
        self.assertAlmostEqual(stats.max, samples.max(), 12)
        for value, percentile in ((stats.median, 50), (stats.p1, 1), (stats.p99, 99)):
            self.assertAlmostEqual(
                value, numpy.percentile(samples, percentile, method='inverted_cdf'), 12)
        self.assertAlmostEqual(stats.entropy, -(share * numpy.log2(share)).sum(), 9)
        self.assertAlmostEqual(stats.clipped_low, (index <= black).mean(), 12)
        self.assertAlmostEqual(stats.clipped_high, (index >= white).mean(), 12)

    def test_against_numpy(self):
        random = numpy.random.default_rng(SEED)
        for _ in range(100):
            for bins in (16, 100, 256, 1000):
                self.check(random_counts(random, bins), bool(random.integers(2)))


class Distances(unittest.TestCase):
    DISTANCES = (
        (Vh.VideoHistogramDistance.CORRELATION, cv2.HISTCMP_CORREL),
        (Vh.VideoHistogramDistance.CHI_SQUARE, cv2.HISTCMP_CHISQR),
        (Vh.VideoHistogramDistance.CHI_SQUARE_ALT, cv2.HISTCMP_CHISQR_ALT),
        (Vh.VideoHistogramDistance.INTERSECTION, cv2.HISTCMP_INTERSECT),
        (Vh.VideoHistogramDistance.BHATTACHARYYA, cv2.HISTCMP_BHATTACHARYYA),
        (Vh.VideoHistogramDistance.KULLBACK_LEIBLER, cv2.HISTCMP_KL_DIV),
    )

    def setUp(self):
        random = numpy.random.default_rng(SEED)
        self.pairs = [(random_counts(random, bins), random_counts(random, bins))
                      for bins in (2, 16, 256, 1000) for _ in range(50)]

    def distance(self, a, b, kind):
        ok, value = make(a).distance(make(b), LUMA, kind)
        self.assertTrue(ok)
        return value

    def test_against_opencv(self):
        """OpenCV stores shares as float, hence the tolerance."""
        for a, b in self.pairs:
            p, q = ((x / x.sum()).astype(numpy.float32) for x in (a, b))
            for kind, method in self.DISTANCES:
                wanted = cv2.compareHist(p, q, method)
                self.assertAlmostEqual(self.distance(a, b, kind), wanted,
                                       delta=2e-3 if 'BHATT' in kind.value_name
                                       else 1e-4 * max(1, abs(wanted)),
                                       msg=f'{kind.value_name}\n{a}\n{b}')

    def test_earth_mover(self):
        """The area between the cumulative shares, as scipy.stats.wasserstein_distance computes it
        with bins at 0 to 1."""
        for a, b in self.pairs:
            wanted = numpy.abs(numpy.cumsum(a / a.sum() - b / b.sum())).sum() / len(a)
            self.assertAlmostEqual(
                self.distance(a, b, Vh.VideoHistogramDistance.EARTH_MOVER), wanted, 9)


common.main()
