# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motors of which a file says nothing are in the sums of the bodies that they cannot be told from."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from core.machines.every_machine import machine as make_machine
from core.machines.every_machine import smooth_drives

from pkm_identification.machines.load import read_machine

# Which motors an identification cannot tell from bodies: those whose body no other drive moves
MERGED = {
    "arm_7": 2,  # the first of a vertical axis, the second across it (Khalil and Dombre 2002, 9.4.2.4)
    "five_bar": 2,
    "delta": 3,
    "four-bar": 1,
    "mast": 0,  # weight tells mass from inertia
    "uf": 0,
}


def motors_in_sums(machine):
    sums = machine.build_parameter_set(machine.sums_set).sums
    inertia = {one.name for one in machine.basis if one.symbol == "inertia"}
    return {
        name: {term: factor for term, factor in terms.items() if term in inertia}
        for name, terms in sums.items()
        if inertia & set(terms)
    }


@pytest.mark.parametrize("name", MERGED)
def test_bodies_that_one_drive_moves_have_its_motor_in_their_sum(name):
    assert sum(len(terms) for terms in motors_in_sums(make_machine(name)).values()) == MERGED[name]


@pytest.mark.parametrize("name", ["arm_7", "five_bar", "delta", "four-bar"])
def test_a_motor_does_what_its_share_of_the_sum_does(name):
    machine = make_machine(name)
    motion = machine.compute_motion(*smooth_drives(machine))
    parameters, names = machine.build_parameter_set(machine.sums_set), list(machine.basis.names)
    for sum_name, terms in motors_in_sums(machine).items():
        for term, factor in terms.items():
            of_motor, of_body = (machine.basis.nominal.copy() for _ in range(2))
            of_motor[names.index(term)] += 0.1
            of_body += 0.1 * factor * parameters.mapping[:, parameters.names.index(sum_name)]
            forces = [machine.compute_forces(motion, one) for one in (of_motor, of_body)]
            scale = np.abs(forces[0] - machine.compute_forces(motion, machine.basis.nominal)).max()
            np.testing.assert_allclose(*forces, atol=1e-8 * scale)


def test_a_stated_motor_is_no_term_of_a_sum():
    document = copy.deepcopy(dict(make_machine("five_bar").document))
    next(iter(document["drives"].values()))["inertia"] = 0.02
    left = motors_in_sums(read_machine(document))
    assert len(left) == 1
    assert next(iter(left.values())).keys() == {make_machine("five_bar").basis.names[-1]}
