# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A MuJoCo model of a hexapod, generated from its machine description."""

from __future__ import annotations

from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

import numpy as np

from pkm_identification.mechanisms.hexapod.bodies import Platform, StrutBody
from pkm_identification.mechanisms.hexapod.kinematics.strut_frames import (
    compute_strut_coordinates,
    strut_frames,
)
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import build_quaternion_from_matrix

from .mujoco_library import mujoco
from .multibody.tree_model import numbers

# MuJoCo wants positive moments; a point mass or a strut without spin gets moments nobody can feel.
SMALLEST_INERTIA = 1e-12
NEGLIGIBLE_RATIO = 1e-9


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


def hexapod_mjcf(machine: Machine, loops: bool = True, timestep: float = 1e-4) -> str:
    """MJCF text of a machine: six struts of two bodies, a free platform, no contacts, no damping.

    Per strut a universal joint at the base (two hinges) carries body B and a slide along the strut body E, whose
    origin is the platform joint; slide position = strut length. Where the universal joints are at the platform, they
    carry body E and a slide body B, whose origin is the base joint. Friction is not in the model.

    Parameters
    ----------
    machine : Machine
    loops : bool
        Close the loops with MuJoCo's own point constraints, for use in other MuJoCo programs and as a check. The
        simulator closes them exactly by itself (`loops`) and leaves them out; its struts are always jointed to the
        base, with a third hinge along their own axes where the platform's joints dictate their spin.
    timestep : float
        s, for other programs.
    """
    if loops and machine.hinged_platform:
        hanging = [
            _add_hanging_strut_mjcf(machine, i, frame) for i, frame in enumerate(strut_frames(machine))
        ]
        bodies = [_add_sites("joint", machine.base_joints), _add_platform_mjcf(machine, "".join(hanging))]
    else:
        frames = base_frames(machine)
        bodies = [_add_strut_mjcf(machine, i, frames[i]) for i in range(STRUTS)]
        bodies.append(_add_platform_mjcf(machine, _add_sites("joint", machine.platform_joints)))
    equality = ""
    if loops:
        # direct stiffness and damping of a critically damped constraint as fast as the time step allows
        rate = 1.0 / (2.0 * timestep)
        solver = f'solref="{-(rate**2)!r} {-2 * rate!r}" solimp="0.9999 0.9999 0.001 0.5 2"'
        connects = "".join(
            f'<connect site1="tip_{i}" site2="joint_{i}" {solver}/>\n' for i in range(1, STRUTS + 1)
        )
        equality = f"<equality>\n{connects}</equality>\n"
    return (
        f"<mujoco model={quoteattr(machine.name)}>\n"
        '<compiler angle="radian" inertiafromgeom="false" autolimits="false"/>\n'
        f'<option timestep="{timestep!r}" gravity="{numbers(machine.gravity)}" integrator="implicitfast" '
        'tolerance="1e-14" iterations="50"><flag contact="disable"/></option>\n'
        f"<worldbody>\n{''.join(bodies)}</worldbody>\n{equality}</mujoco>\n"
    )


def base_frames(machine: Machine) -> FloatArray:
    """Frames (6, 3, 3) of the base joints of the simulator's tree, in base axes; see `strut_frames`."""
    return strut_frames(machine.without_spin() if machine.hinged_platform else machine)


def build_hexapod_model(machine: Machine) -> HexapodModel:
    """Compile the open-loop tree of a machine for the simulator.

    24 degrees of freedom; 30 where universal joints at the platform dictate the struts' spin.
    """
    mjcf = hexapod_mjcf(machine, loops=False)
    return HexapodModel(mjcf, mujoco.MjModel.from_xml_string(mjcf), base_frames(machine))


def compute_home_coordinates(machine: Machine) -> FloatArray:
    """MuJoCo's qpos (25,) of the closed model at the home pose.

    Per strut two angles and the length, then position and quaternion wxyz; with universal joints at the platform, whose
    struts are jointed to it, position and quaternion come first.
    """
    frames = strut_frames(machine)
    coordinates = compute_strut_coordinates(
        frames, machine, machine.home_position, machine.home_rotation
    ).ravel()
    quaternion = build_quaternion_from_matrix(machine.home_rotation)
    platform = [*machine.home_position, *np.roll(quaternion, 1)]
    return np.array([*platform, *coordinates] if machine.hinged_platform else [*coordinates, *platform])


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


def _add_hanging_strut_mjcf(machine: Machine, i: int, frame: FloatArray) -> str:
    """Return a strut on its platform joint."""
    strut, xyaxes = machine.struts[i], numbers(frame[:, :2].T)
    return (
        f'<body name="strut_{i + 1}_e" pos="{numbers(machine.platform_joints[i])}" xyaxes="{xyaxes}">\n'
        f'<joint name="first_{i + 1}" type="hinge" axis="1 0 0"/>'
        f'<joint name="second_{i + 1}" type="hinge" axis="0 1 0"/>\n'
        f"{_add_body_mjcf(machine, strut.body_e, -strut.body_e.center_of_mass)}"
        f'<body name="strut_{i + 1}_b"><joint name="strut_{i + 1}" type="slide" axis="0 0 -1" '
        f'armature="{machine.turning_mass(i)!r}"/>\n'
        f"{_add_body_mjcf(machine, strut.body_b, strut.body_b.center_of_mass)}"
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
