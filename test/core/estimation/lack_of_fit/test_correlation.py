"""Lengths of Fourier transforms, against SciPy's."""

from scipy.fft import next_fast_len

from pkm_identification.estimation.lack_of_fit.correlation import fast_length


def test_the_next_fast_length_is_scipys():
    for least in [*range(1, 600), 4999, 123457, 999999, 2**20, 2**20 + 1]:
        assert fast_length(least) == next_fast_len(least, real=True), least
