# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

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
