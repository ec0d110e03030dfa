# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What is compiled is noticed; what is loaded or known already is not."""

import numpy as np

from pkm_identification.numerics.compilation import CompilationWatch
from pkm_identification.numerics.compiled import compile_inline


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
