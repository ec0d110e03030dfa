# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A MuJoCo model of a hexapod, generated from its machine description."""

from __future__ import annotations

from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

import numpy as np

from pkm_identification.mechanisms.hexapod.bodies import Platform, StrutBody
from pkm_identification.mechanisms.hexapod.kinematics.strut_frames import strut_frames
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import build_quaternion_from_matrix

from .mujoco_library import mujoco
from .multibody.tree_model import numbers

# MuJoCo wants positive moments; a point mass or a strut without spin gets moments nobody can feel.
SMALLEST_INERTIA = 1e-12
NEGLIGIBLE_RATIO = 1e-9
TIMESTEP = 1e-4  # s, of a model that another program loads; the simulator sets its own


@dataclass(frozen=True)
class HexapodModel:
    """A MuJoCo model and the frames its strut angles are measured in.

    Attributes
    ----------
    mjcf : str
        The model as MJCF text; loads in any MuJoCo program.
    model : mujoco.MjModel
    frames : ndarray, shape (6, 3, 3)
        Per strut the base joint's frame at zero angles, axes as columns in the base frame: x is the hinge fixed in
        the base, z the home direction of the strut made perpendicular to it. Strut axis = frame Rx(q1) Ry(q2) z.
    """

    mjcf: str
    model: mujoco.MjModel
    frames: FloatArray


def hexapod_mjcf(machine: Machine) -> str:
    """Return the MJCF text of the simulator's tree: six struts of two bodies, a free platform, loops open, no contacts.

    Per strut a universal joint at the base (two hinges) carries body B and a slide along the strut body E, whose
    origin is the platform joint; slide position = strut length. Where the platform's joints dictate the struts' spin, a
    third hinge turns them about their own axes. The simulator closes the loops (`loops`) and adds friction. Closed
    models for other programs are those of `exporting.mjcf`.
    """
    frames = base_frames(machine)
    bodies = [_add_strut_mjcf(machine, i, frames[i]) for i in range(STRUTS)]
    bodies.append(_add_platform_mjcf(machine, _add_sites("joint", machine.platform_joints)))
    return (
        f"<mujoco model={quoteattr(machine.name)}>\n"
        '<compiler angle="radian" inertiafromgeom="false" autolimits="false"/>\n'
        f'<option timestep="{TIMESTEP!r}" gravity="{numbers(machine.gravity)}" integrator="implicitfast" '
        'tolerance="1e-14" iterations="50"><flag contact="disable"/></option>\n'
        f"<worldbody>\n{''.join(bodies)}</worldbody>\n</mujoco>\n"
    )


def base_frames(machine: Machine) -> FloatArray:
    """Frames (6, 3, 3) of the base joints of the simulator's tree, in base axes; see `strut_frames`."""
    return strut_frames(machine.without_spin() if machine.hinged_platform else machine)


def build_hexapod_model(machine: Machine) -> HexapodModel:
    """Compile the open-loop tree of a machine for the simulator.

    24 degrees of freedom; 30 where universal joints at the platform dictate the struts' spin.
    """
    mjcf = hexapod_mjcf(machine)
    return HexapodModel(mjcf, mujoco.MjModel.from_xml_string(mjcf), base_frames(machine))


def _add_strut_mjcf(machine: Machine, i: int, frame: FloatArray) -> str:
    """Return a strut on its base joint."""
    strut, spin = machine.struts[i], machine.hinged_platform
    xyaxes = numbers(frame[:, :2].T)
    own_axis = f'<joint name="spin_{i + 1}" type="hinge" axis="0 0 1"/>' if spin else ""
    return (
        f'<body name="strut_{i + 1}_b" pos="{numbers(machine.base_joints[i])}" xyaxes="{xyaxes}">\n'
        f'<joint name="first_{i + 1}" type="hinge" axis="1 0 0"/>'
        f'<joint name="second_{i + 1}" type="hinge" axis="0 1 0"/>{own_axis}\n'
        f"{_add_body_mjcf(machine, strut.body_b, strut.body_b.center_of_mass)}"
        f'<body name="strut_{i + 1}_e"><joint name="strut_{i + 1}" type="slide" axis="0 0 1" '
        f'armature="{machine.turning_mass(i)!r}"/>\n'
        f"{_add_body_mjcf(machine, strut.body_e, -strut.body_e.center_of_mass)}"
        f'<site name="tip_{i + 1}"/></body>\n</body>\n'
    )


def _add_sites(name: str, places: FloatArray) -> str:
    return "".join(
        f'<site name="{name}_{i + 1}" pos="{numbers(position)}"/>' for i, position in enumerate(places)
    )


def _add_body_mjcf(machine: Machine, body: StrutBody, position: float) -> str:
    transverse = max(body.transverse, SMALLEST_INERTIA)
    axial = body.axial if machine.universal else NEGLIGIBLE_RATIO * transverse
    axial = min(max(axial, SMALLEST_INERTIA), 2 * transverse)
    return (
        f'<inertial pos="0 0 {position!r}" mass="{body.mass!r}" '
        f'diaginertia="{numbers(np.array([transverse, transverse, axial]))}"/>\n'
    )


def set_platform(model: mujoco.MjModel, platform: Platform, name: str = "platform") -> None:
    """Give the platform (the body of that name) of a compiled model another mass, centre of mass and inertia."""
    body = model.body(name).id
    moments, axes = np.linalg.eigh(_find_possible_inertia(platform.inertia))
    axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
    model.body_mass[body] = platform.mass
    model.body_ipos[body] = platform.center_of_mass
    model.body_inertia[body] = moments
    model.body_iquat[body] = np.roll(build_quaternion_from_matrix(axes), 1)
    mujoco.mj_setConst(model, mujoco.MjData(model))


def copy_bodies(model: mujoco.MjModel) -> tuple[FloatArray, ...]:
    """Return masses, centres of mass and inertias of a compiled model's bodies, for `restore_bodies`."""
    return tuple(part.copy() for part in _list_bodies(model))


def restore_bodies(model: mujoco.MjModel, kept: tuple[FloatArray, ...]) -> None:
    """Give the bodies of a compiled model what `copy_bodies` kept, to the last bit."""
    for part, own in zip(_list_bodies(model), kept, strict=True):
        part[:] = own
    mujoco.mj_setConst(model, mujoco.MjData(model))


def _list_bodies(model: mujoco.MjModel) -> tuple[FloatArray, ...]:
    return model.body_mass, model.body_ipos, model.body_inertia, model.body_iquat


def _find_possible_inertia(inertia: FloatArray) -> FloatArray:
    """Return the inertia, or the nearest MuJoCo does not refuse: it may be flat or slender to rounding."""
    principal = np.linalg.eigvalsh(inertia)
    if principal[0] < SMALLEST_INERTIA or principal[0] + principal[1] < principal[2] * (1 + NEGLIGIBLE_RATIO):
        return inertia + max(SMALLEST_INERTIA, 2 * NEGLIGIBLE_RATIO * principal[2]) * np.eye(3)
    return np.array(inertia)


def _add_platform_mjcf(machine: Machine, content: str) -> str:
    platform = machine.platform
    tensor = _find_possible_inertia(platform.inertia)[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    quaternion = np.roll(build_quaternion_from_matrix(machine.home_rotation), 1)
    return (
        f'<body name="platform" pos="{numbers(machine.home_position)}" quat="{numbers(quaternion)}">'
        '<freejoint name="platform"/>\n'
        f'<inertial pos="{numbers(platform.center_of_mass)}" mass="{platform.mass!r}" '
        f'fullinertia="{numbers(tensor)}"/>\n'
        f"{content}</body>\n"
    )
