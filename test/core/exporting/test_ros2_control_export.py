# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""URDF for a controller manager: of every machine its drives, at home, each a joint of the one tree."""

from __future__ import annotations

from xml.etree import ElementTree

import pinocchio as pin
import pytest
from core.machines.every_machine import EVERY, machine

from pkm_identification.exporting.formats import format_machine_text
from pkm_identification.machines.load import as_machine


@pytest.mark.parametrize("name", EVERY)
def test_drives_are_joints_of_the_tree_and_stand_at_home(name):
    one = as_machine(machine(name))
    text = format_machine_text(one, "ros2_control")
    robot = ElementTree.fromstring(text)
    kinds = {joint.get("name"): joint.get("type") for joint in robot.iterfind("joint")}
    driven = list(robot.iterfind("ros2_control/joint"))
    assert [joint.get("name") for joint in driven] == [drive.joint for drive in one.drives]
    for joint, drive, home in zip(driven, one.drives, one.home, strict=True):
        kind = kinds[drive.joint]
        assert (kind == "prismatic") == (drive.unit == "m")
        stated = joint.findtext("state_interface[@name='position']/param[@name='initial_value']")
        assert float(stated) == home
    # one root, and every joint between links that exist
    assert pin.buildModelFromXML(text).njoints > len(one.drives)
