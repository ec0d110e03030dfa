# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Joints with friction: identified from a log, by every estimator, written into machine files."""

from __future__ import annotations

import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import changed, machine, rubbing, untidy
from core.platform_motions import six_axes, states

from pkm_identification.errors import MachineError
from pkm_identification.identification.identify import identify
from pkm_identification.identification.settings import Settings, assumptions_of
from pkm_identification.mechanisms.hexapod.dynamics import basis_parameters, strut_forces
from pkm_identification.mechanisms.hexapod.identified import identified_machine
from pkm_identification.mechanisms.hexapod.joint_friction import JointFriction
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import NAMES, list_hexapod_parameters
from pkm_identification.simulation.perturbation import perturb_machine
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import simulate

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("unjudged")]

ENDS = {"base": {"coulomb": 3.0, "viscous": 2.0}, "platform": {"coulomb": 2.0, "viscous": 1.0}}
TRUTH = machine(changed("uf", friction__joints=ENDS))
# the owner knows that there is friction, not how much
FILE = machine(changed("uf", friction__joints={}))


@pytest.fixture(scope="module")
def log():
    return simulate(
        TRUTH, "rich", 5.0, nominal=FILE, sensors=SensorSettings(current_noise=0.01), seed=6
    ).log()


def test_it_is_identified_with_the_rest(log):
    estimate = identify([log], FILE, Settings.of(estimator="ls", hold_out=0.0)).estimate
    error = estimate.values - list_hexapod_parameters(TRUTH, "identifiable").nominal
    assert np.abs(error / estimate.std).max() < 4.0
    joints = [estimate.names.index(f"{end}_joint_{kind}") for end in ENDS for kind in ENDS[end]]
    assert all(estimate.status[k] == "identifiable" for k in joints[::2])
    assert np.all(estimate.std[joints[::2]] < 0.3)


def test_the_joint_estimator_finds_it_too(log):
    """From a second of the motion, with the bodies known."""
    known = Settings.of(estimator="joint", assumptions=assumptions_of(("inertial",), (), ""), hold_out=0.0)
    estimate = identify([log[900:2000]], FILE, known).estimate
    truth = list_hexapod_parameters(TRUTH, "identifiable")
    error = estimate.values - [truth.nominal[truth.names.index(name)] for name in estimate.names]
    assert np.abs(error / estimate.std).max() < 4.0
    joints = [estimate.names.index(f"{end}_joint_{kind}") for end in ENDS for kind in ENDS[end]]
    assert np.all(estimate.std[joints] < 0.05)


@pytest.mark.parametrize("name", NAMES)
def test_sets_have_what_they_say(name):
    m = machine(rubbing(untidy("uf")))
    parameters = list_hexapod_parameters(m, name)
    count = sum("_joint_" in entry.symbol for entry in parameters.entries)
    assert count == {"oh12": 0, "oh24": 0, "extended": 24, "general": 24, "general_motor": 24}.get(name, 4)
    basis = parameters.mapping @ parameters.nominal + parameters.known
    np.testing.assert_allclose(basis, basis_parameters(m), rtol=1e-12, atol=1e-12)
    plain = list_hexapod_parameters(machine(untidy("uf")), name)
    assert len(parameters.names) == len(plain.names) + count


def test_an_identified_machine_keeps_it():
    m = machine(rubbing(untidy("uf")))
    basis = basis_parameters(m)
    basis[64:] *= np.linspace(0.5, 1.5, 24)
    made = identified_machine(m, basis)
    motion = six_axes(m, 2).at(np.linspace(0.0, 1.0, 20))
    np.testing.assert_allclose(
        strut_forces(made, motion), strut_forces(m, motion, parameters=basis), rtol=1e-9
    )
    other = perturb_machine(m, 3)
    ratio = other.joint_friction.coefficients / m.joint_friction.coefficients
    assert 0.02 < np.abs(ratio - 1).min() < np.abs(ratio - 1).max() <= 0.15 + 1e-12


@pytest.mark.parametrize(
    ("joints", "message"),
    [
        ({"base": {"coulomb": -1.0}}, "friction.joints.base.coulomb = -1: must not be negative"),
        ({"base": {"coulomb": [1.0] * 5}}, "friction.joints.base.coulomb must be 6 numbers, found 5"),
        ({"platform": {"stribeck": 1.0}}, "unknown key 'stribeck' in 'friction.joints.platform'"),
        ({"middle": {}}, "unknown key 'middle' in 'friction.joints'"),
        ({"transition_rate": 0.0}, "friction.joints.transition_rate = 0: must be greater than zero"),
        (5.0, "friction.joints must be a mapping"),
    ],
)
def test_friction_that_no_joint_has_is_refused(joints, message):
    with pytest.raises(MachineError, match=message.replace(".", r"\.")) as refusal:
        Machine.from_document(changed("uf", friction__joints=joints))
    assert "\n" not in str(refusal.value)


def test_all_joints_alike():
    m = machine(
        changed("uf", friction__joints={"base": {"coulomb": 5.0}, "platform": {"coulomb": [5.0] * 6}})
    )
    np.testing.assert_array_equal(m.joint_friction.coefficients, JointFriction.alike(5.0).coefficients)
    assert m.without_friction().rubs is False
    motion = states(m, 5, 1)
    np.testing.assert_array_equal(
        strut_forces(m.without_friction(), motion), strut_forces(m, motion, friction=False)
    )
