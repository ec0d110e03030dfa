# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Lengths of Fourier transforms, against SciPy's."""

from scipy.fft import next_fast_len

from pkm_identification.estimation.lack_of_fit.correlation import fast_length


def test_the_next_fast_length_is_scipys():
    for least in [*range(1, 600), 4999, 123457, 999999, 2**20, 2**20 + 1]:
        assert fast_length(least) == next_fast_len(least, real=True), least
