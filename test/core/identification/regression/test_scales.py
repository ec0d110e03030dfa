# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Widths of parameters of which nothing is known but the data."""

from __future__ import annotations

import numpy as np

from pkm_identification.identification.regression.scales import with_machine_scales
from pkm_identification.machines.load import load_machine
from pkm_identification.parameters.assumptions import Assumptions, PriorValue


def test_what_a_prior_does_not_name_is_as_wide_as_the_data_say():
    machine = load_machine("four-bar")
    base = machine.build_parameter_set("base")
    name = base.names[0]
    stated = Assumptions(prior_values=(PriorValue(name, 1.0, 0.1),)).apply(base)
    scaled = with_machine_scales(stated, machine)
    assert (scaled.prior_mean[0], scaled.prior_std[0]) == (1.0, 0.1)
    np.testing.assert_array_equal(scaled.prior_std[1:], scaled.scale[1:])
    assert np.isfinite(scaled.prior_std).all()
