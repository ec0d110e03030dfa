# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What is compiled is noticed; what is loaded or known already is not."""

import numpy as np

from pkm_identification.numerics.compiled import CompilationWatch, compile_inline


def test_kernels_are_counted_and_the_first_is_announced():
    @compile_inline
    def half(x):
        return 0.5 * x

    @compile_inline
    def quarter(x):
        return half(half(x))

    announced = []
    with CompilationWatch(lambda: announced.append(True)) as watch:
        assert quarter(4.0) == 1.0
        assert quarter(8.0) == 2.0
    assert (watch.kernels, announced) == (2, [True])
    assert watch.seconds > 0.0
    with CompilationWatch(lambda: announced.append(True)) as again:
        assert quarter(4.0) == 1.0
    assert (again.kernels, again.seconds, announced) == (0, 0.0, [True])
    # no longer listened to
    quarter(np.arange(3))
    assert again.kernels == 0
