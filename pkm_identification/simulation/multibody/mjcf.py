# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A mechanism as MJCF: the open tree for the simulator, or with the loops closed by MuJoCo for other programs.

A spherical joint that closes a loop becomes MuJoCo's `connect`. Any other is carried by the tree to a twin of one of
its bodies, which takes its share of the body's inertia and is welded to it: constraints that MuJoCo has, and no joint
without mass behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from xml.sax.saxutils import quoteattr

import numpy as np

from pkm_identification.mechanisms.multibody.description.records import GROUND, Description, Joint
from pkm_identification.mechanisms.multibody.kernels.codes import COORDINATES
from pkm_identification.mechanisms.multibody.kinematics import frames
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.numbers.arithmetic import FLOAT64
from pkm_identification.mechanisms.multibody.structure.model import Model, pack_mechanism
from pkm_identification.mechanisms.multibody.structure.placements import Placement, joint_frames
from pkm_identification.mechanisms.multibody.structure.tree import Tree, spanning_tree
from pkm_identification.numerics.arrays import FloatArray

from .inertials import inertials
from .tree_model import WORLD, Inertial, TreeBodies, TreeWriter, fresh, numbers

_X, _Y, _Z = 0, 1, 2
TIMESTEP = 1e-4  # s
# direct stiffness and damping of a critically damped constraint as fast as the time step allows
_RATE = 1.0 / (2.0 * TIMESTEP)
_SOLVER = f'solref="{-(_RATE**2)!r} {-2 * _RATE!r}" solimp="0.9999 0.9999 0.001 0.5 2"'


@dataclass(frozen=True)
class OpenTreeText:
    """The open tree: MJCF, and what of the mechanism's each of MuJoCo's coordinates and velocities is."""

    mjcf: str
    bodies: TreeBodies


def open_tree_mjcf(mechanism: Mechanism) -> OpenTreeText:
    """Return the spanning tree of a mechanism, loops cut, without the drives' own inertia.

    A joint without spin has a third hinge along the second body, whose rate is to be dictated.
    """
    writer = TreeWriter(
        mechanism.tree,
        mechanism.model,
        inertials(mechanism),
        [joint.name for joint in mechanism.description.joints],
        {},
        {},
        spinning=True,
    )
    tree_text = writer.written()
    return OpenTreeText(_build_document(mechanism, tree_text.text, ""), tree_text)


def build_mechanism_mjcf(mechanism: Mechanism) -> str:
    """MJCF text of a mechanism that starts at home, loops closed by MuJoCo's constraints, with home as a key frame.

    No contacts, no friction, no actuators. A drive along several joints or between two points is a tendon of its name;
    drives' own inertia is the armature of their joints or tendons. That of a drive whose coordinate no joint or tendon
    has (a lever, a position, an angle) is left out and a comment says so. A joint without spin becomes a universal one.

    Parameters
    ----------
    mechanism : Mechanism
        In float64.
    """
    description = mechanism.description
    twins = _find_twins(mechanism)
    whole = _add_twins(description, twins)
    tree = spanning_tree(whole)
    model = pack_mechanism(whole, tree, [], FLOAT64)
    masses = inertials(mechanism)
    for body in {body for body, _ in twins.values()}:
        own = masses[body]
        copies = 1 + sum(other == body for other, _ in twins.values())
        masses[body] = Inertial(own.mass / copies, own.center, own.inertia / copies)
    masses |= {twin: masses[body] for body, twin in twins.values()}
    ends: set[str] = set()
    sites, equality = _add_constraints(mechanism, twins, tree, ends)
    armature, tendons, more = _write_drives(description, ends)
    cables, couplings = _add_couplings(description)
    equality += couplings
    tendons += cables
    if tendons:
        tendons = f"<tendon>\n{tendons}</tendon>\n"
    for body, text in more:
        sites[tree.body_frames[body]] = sites.get(tree.body_frames[body], "") + text
    names = [joint.name for joint in whole.joints]
    home = _compute_home(mechanism, tree, model, twins)
    tree_text = TreeWriter(tree, model, masses, names, armature, sites, spinning=False, home=home).written()
    rest = tendons + (f"<equality>\n{equality}</equality>\n" if equality else "")
    rest += f'<keyframe><key name="home" qpos="{numbers(tree_text.start)}"/></keyframe>\n'
    return _build_document(mechanism, tree_text.text, rest)


def _build_document(mechanism: Mechanism, bodies: str, rest: str) -> str:
    gravity = numbers(FLOAT64.array(mechanism.description.gravity))
    return (
        f"<mujoco model={quoteattr(mechanism.name)}>\n"
        '<compiler angle="radian" inertiafromgeom="false" autolimits="false"/>\n'
        f'<option timestep="{TIMESTEP!r}" gravity="{gravity}" integrator="implicitfast" tolerance="1e-14" '
        'iterations="50"><flag contact="disable"/></option>\n'
        f"<worldbody>\n{bodies}</worldbody>\n{rest}</mujoco>\n"
    )


def _find_twins(mechanism: Mechanism) -> dict[str, tuple[str, str]]:
    """Of each joint that closes a loop and is not spherical: the body that is halved, and its twin's name."""
    mass = {body.name: FLOAT64.number(body.parameters[0]) for body in mechanism.description.bodies}
    taken = {WORLD, GROUND, *mass}
    twins = {}
    for joint in mechanism.tree.cut:
        if joint.type != "spherical":
            halved = max((body for body in joint.bodies[::-1] if body != GROUND), key=lambda body: mass[body])
            twins[joint.name] = (halved, fresh(f"{halved}:{joint.name}", taken))
    return twins


def _add_twins(description: Description, twins: dict[str, tuple[str, str]]) -> Description:
    bodies = {body.name: body for body in description.bodies}
    added = [replace(bodies[body], name=twin) for body, twin in twins.values()]
    joints = []
    for joint in description.joints:
        body, twin = twins.get(joint.name, ("", ""))
        first, second = (twin if name == body else name for name in joint.bodies)
        joints.append(replace(joint, bodies=(first, second)))
    return replace(description, bodies=(*description.bodies, *added), joints=tuple(joints))


def _add_constraints(
    mechanism: Mechanism, twins: dict[str, tuple[str, str]], tree: Tree, taken: set[str]
) -> tuple[dict[int, str], str]:
    """Sites by frame, and the constraints between them; the sites' names are added to those taken."""
    sites: dict[int, str] = {}
    equality = ""

    def site(body: str, name: str, position: FloatArray) -> None:
        frame = tree.body_frames[body]
        text = f'<site name={quoteattr(name)} pos="{numbers(position)}"/>\n'
        sites[frame] = sites.get(frame, "") + text

    for joint in mechanism.tree.cut:
        ends = [fresh(f"{joint.name}:{side}", taken) for side in (1, 2)]
        names = f"site1={quoteattr(ends[0])} site2={quoteattr(ends[1])}"
        if joint.name in twins:
            for name, body in zip(ends, twins[joint.name], strict=True):
                site(body, name, np.zeros(3))
            equality += f"<weld name={quoteattr(f'{joint.name}:weld')} {names} {_SOLVER}/>\n"
        else:
            for name, body, position in zip(ends, joint.bodies, joint.place, strict=True):
                site(body, name, FLOAT64.array(position))
            equality += f"<connect name={quoteattr(joint.name)} {names} {_SOLVER}/>\n"
    return sites, equality


def _add_couplings(description: Description) -> tuple[str, str]:
    """Return fixed tendons along the couplings, and the constraints that keep their lengths."""
    tendons = equality = ""
    taken = {joint.name for joint in description.joints} | {drive.name for drive in description.drives}
    for coupling in description.couplings:
        name = quoteattr(fresh(coupling.name, taken))
        parts = "".join(
            f'<joint joint={quoteattr(joint)} coef="{FLOAT64.number(factor)!r}"/>'
            for joint, factor in coupling.joints.items()
        )
        tendons += f"<fixed name={name}>{parts}</fixed>\n"
        # counted from home, where the model starts and couplings hold
        equality += f'<tendon name={name} tendon1={name} polycoef="0 0 0 0 0" {_SOLVER}/>\n'
    return tendons, equality


def _write_drives(
    description: Description, taken: set[str]
) -> tuple[dict[str, float], str, list[tuple[str, str]]]:
    """Return what drives are: armature of joints, tendons as MJCF, and the tendons' sites with their bodies.

    The sites' names are added to those taken.
    """
    armature: dict[str, float] = {}
    tendons = ""
    sites: list[tuple[str, str]] = []
    left = 0
    for drive in description.drives:
        inertia, measure = FLOAT64.number(drive.inertia), drive.measure
        factors = {name: FLOAT64.number(factor) for name, factor in measure.joints.items()}
        head = f'name={quoteattr(drive.name)} armature="{inertia!r}"'
        if measure.kind == "combination" and len(factors) == 1:
            ((joint, factor),) = factors.items()
            armature[joint] = armature.get(joint, 0.0) + factor**2 * inertia
        elif measure.kind == "combination":
            parts = "".join(f'<joint joint={quoteattr(j)} coef="{c!r}"/>' for j, c in factors.items())
            tendons += f"<fixed {head}>{parts}</fixed>\n"
        elif measure.kind == "length":
            ends = [fresh(f"{drive.name}:{side}", taken) for side in (1, 2)]
            for end, body, position in zip(ends, measure.bodies, measure.points, strict=True):
                where = numbers(FLOAT64.array(position))
                sites.append((body, f'<site name={quoteattr(end)} pos="{where}"/>\n'))
            parts = "".join(f"<site site={quoteattr(end)}/>" for end in ends)
            tendons += f"<spatial {head}>{parts}</spatial>\n"
        elif inertia:
            left += 1
    if left:
        tendons += f"<!-- without the inertia of {left} drives whose coordinate no joint or tendon has -->\n"
    return armature, tendons, sites


def _compute_home(
    mechanism: Mechanism, tree: Tree, model: Model, twins: dict[str, tuple[str, str]]
) -> FloatArray:
    """Return coordinates (Q,) of the tree with twins at home."""
    own = mechanism.tree
    home = np.zeros(tree.coordinates)
    for name, places in tree.joint_frames.items():
        if name in own.joint_frames:
            for theirs, ours in zip(places, own.joint_frames[name], strict=True):
                to, source = tree.frames[theirs], own.frames[ours]
                width = COORDINATES[source.kind]
                home[to.coordinate : to.coordinate + width] = mechanism.home[
                    source.coordinate : source.coordinate + width
                ]
    rotation, position = frames(mechanism, mechanism.home)
    for joint in own.cut:
        if joint.name not in twins:
            continue
        ends = [
            (rotation[0, own.body_frames[body]], position[0, own.body_frames[body]]) for body in joint.bodies
        ]
        values = _compute_joint_coordinates(joint, ends)
        for f, value in zip(tree.joint_frames[joint.name], values, strict=True):
            home[tree.frames[f].coordinate] = value
    return home


def _compute_joint_coordinates(joint: Joint, ends: Sequence[tuple[FloatArray, FloatArray]]) -> list[float]:
    """Return a closed joint's own coordinates, in the order of its frames, by the poses of its two bodies."""
    (r1, p1), (r2, p2) = (
        _apply_placement(*end, placement) for end, placement in zip(ends, joint_frames(joint), strict=True)
    )
    turn, shift = r1.T @ r2, r1.T @ (p2 - p1)
    about_z = float(np.arctan2(turn[_Y, _X], turn[_X, _X]))
    if joint.type == "revolute":
        return [about_z]
    if joint.type == "prismatic":
        return [float(shift[_Z])]
    if joint.type == "planar":
        return [float(shift[_X]), float(shift[_Y]), about_z]
    if joint.type == "universal":
        return [float(np.arctan2(turn[_Z, _Y], turn[_Y, _Y])), float(np.arctan2(turn[_X, _Z], turn[_X, _X]))]
    return []


def _apply_placement(
    rotation: FloatArray, origin: FloatArray, placement: Placement
) -> tuple[FloatArray, FloatArray]:
    inner = FLOAT64.array(placement.rotation)
    return rotation @ inner, origin + rotation @ FLOAT64.array(placement.origin)
