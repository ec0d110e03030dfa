# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A machine for viewers: pinocchio hangs its links by the joints it is given, and every body is where it is."""

from __future__ import annotations

import numpy as np
import pytest
from core.machines.every_machine import AS_MULTIBODY, MECHANISMS, machine, smooth_motion

from pkm_identification.exporting.bodies_urdf import bodies_urdf
from pkm_identification.exporting.display import create_tree, display_urdf
from pkm_identification.mechanisms.multibody.kinematics import body_poses

pinocchio = pytest.importorskip("pinocchio")


@pytest.mark.parametrize("name", [*MECHANISMS, AS_MULTIBODY])
def test_bodies_of_the_shown_tree_are_where_they_are_and_loops_close(name):
    one = machine(name)
    mechanism, tree = one.mechanism, create_tree(one, "test")
    model = pinocchio.buildModelFromXML(display_urdf(one, "test"))
    assert model.nq == len(tree.names) == len(set(tree.names))
    data, q = model.createData(), np.zeros(model.nq)
    for configuration in smooth_motion(one, count=5).state[0]:
        for joint, value in zip(tree.names, tree.compute(configuration), strict=True):
            q[model.joints[model.getJointId(joint)].idx_q] = value
        pinocchio.framesForwardKinematics(model, data, q)
        rotation, position = (part[0] for part in body_poses(mechanism, configuration))
        for i, body in enumerate(mechanism.description.bodies):
            place = data.oMf[model.getFrameId(body.name)]
            np.testing.assert_allclose(place.translation, position[i], atol=1e-9)
            np.testing.assert_allclose(place.rotation, rotation[i], atol=1e-9)


@pytest.mark.parametrize("name", [*MECHANISMS, AS_MULTIBODY])
def test_joints_counted_from_home_are_zero_there(name):
    one = machine(name)
    mechanism = one.mechanism
    model = pinocchio.buildModelFromXML(bodies_urdf(mechanism, from_home=True))
    data = model.createData()
    pinocchio.framesForwardKinematics(model, data, np.zeros(model.nq))
    rotation, position = (part[0] for part in body_poses(mechanism, mechanism.home[None]))
    for i, body in enumerate(mechanism.description.bodies):
        place = data.oMf[model.getFrameId(body.name)]
        np.testing.assert_allclose(place.translation, position[i], atol=1e-9)
        np.testing.assert_allclose(place.rotation, rotation[i], atol=1e-9)
