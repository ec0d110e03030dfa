"""The joints' sections of a machine file: what is read, and what is refused with which words."""

from __future__ import annotations

import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import document
from scipy.spatial.transform import Rotation

from pkm_identification.errors import MachineError
from pkm_identification.mechanisms.hexapod.machine import Machine


def joints(base=None, platform=None):
    """A description with these sections for the joints."""
    made = document("uf")
    del made["geometry"]["base_joint"]
    for key, section in (("base_joint", base), ("platform_joint", platform)):
        if section is not None:
            made["geometry"][key] = section
    return made


@pytest.mark.parametrize(
    ("base", "platform", "message"),
    [
        ({"type": "universal"}, {"type": "universal"}, "base_joint.type = 'universal' beside"),
        ({"type": "no_spin"}, {"type": "universal"}, "one end is universal and the other spherical"),
        (None, {"type": "no_spin"}, "platform_joint.type = 'no_spin': must be one of spherical, universal"),
        ({"type": "spherical", "first_axis": [1.0, 0.0, 0.0]}, None, "unknown key 'first_axis'"),
        (None, {"type": "spherical", "first_axes": "radial"}, "unknown key 'first_axes'"),
        ({"type": "universal", "first_axes": "outward"}, None, "one of radial, tangential"),
        ({"type": "universal", "first_axis": "radial"}, None, "first_axes takes radial or tangential"),
        ({"type": "universal", "first_axes": [[1.0, 0.0, 0.0]] * 5}, None, "six vectors"),
        (
            {"type": "universal", "first_axes": [[1.0, 0.0, 0.0]] * 5 + [[0.0] * 3]},
            None,
            r"axes\[6\] has no length",
        ),
        (None, {"type": "universal", "first_axes": [[1.0, 0.0]] * 6}, r"first_axes\[1\] must be 3 numbers"),
        (None, {"type": "universal", "first_axis": [1.0, 0.0, 0.0], "first_axes": "radial"}, "both given"),
    ],
)
def test_joints_that_no_machine_has_are_refused(base, platform, message):
    with pytest.raises(MachineError, match=message) as refusal:
        Machine.from_document(joints(base, platform))
    assert "\n" not in str(refusal.value)


def test_a_joint_in_the_middle_has_no_radial_direction():
    made = joints({"type": "universal", "first_axes": "radial"})
    places = np.array(made["geometry"]["base_joints"])
    places[2] = np.delete(places, 2, 0).mean(axis=0)
    made["geometry"]["base_joints"] = places.tolist()
    with pytest.raises(MachineError, match="joint 3 is in the middle"):
        Machine.from_document(made)


def test_what_files_without_joints_mean():
    assert Machine.from_document(joints()).base_joint == "no_spin"
    hinged = Machine.from_document(joints(platform={"type": "universal"}))
    assert (hinged.base_joint, hinged.platform_joint, hinged.universal) == ("spherical", "universal", True)
    free = Machine.from_document(joints({"type": "spherical"}))
    assert not free.universal
    assert not hinged.without_spin().universal


@pytest.mark.parametrize("end", ["base", "platform"])
def test_hinges_by_name_lie_in_the_plane_of_the_joints(end):
    for name in ("radial", "tangential"):
        hinges = {"type": "universal", "first_axes": name}
        made = joints(hinges) if end == "base" else joints(platform=hinges)
        # the plane may be any
        turn = Rotation.from_rotvec([0.1, -0.2, 0.3]) if end == "platform" else Rotation.identity()
        places = turn.apply(made["geometry"][f"{end}_joints"])
        made["geometry"][f"{end}_joints"] = places.tolist()
        axes = Machine.from_document(made).first_axes
        np.testing.assert_allclose(np.linalg.norm(axes, axis=1), 1.0, rtol=1e-14)
        np.testing.assert_allclose(axes @ turn.apply([0.0, 0.0, 1.0]), 0.0, atol=1e-14)
        along = np.cross(axes, places - places.mean(axis=0))
        if name == "radial":
            np.testing.assert_allclose(along, 0.0, atol=1e-14)
        else:
            np.testing.assert_allclose(np.sum(axes * (places - places.mean(axis=0)), axis=1), 0.0, atol=1e-14)
