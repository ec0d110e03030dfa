# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""URDF of bodies with joints that are a tree: every frame of the tree is a link, joints keep their coordinates."""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.multibody.kernels.codes import FIXED, PRISMATIC, REVOLUTE
from pkm_identification.mechanisms.multibody.kernels.layout import ORIGIN
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.numbers.arithmetic import FLOAT64
from pkm_identification.mechanisms.multibody.structure.tree import Frame
from pkm_identification.numerics.rotation import yaw_pitch_roll
from pkm_identification.simulation.multibody.inertials import inertials
from pkm_identification.simulation.multibody.tree_model import Inertial, fresh, numbers

BASE = "base"
# Limits that URDF demands and the file does not have: a turn and a metre beyond all use, forces and rates likewise
_FARTHEST, _EFFORT, _VELOCITY = 1e3, 1e9, 1e9


def bodies_urdf(mechanism: Mechanism) -> str:
    """Return the URDF text of a mechanism that is a tree.

    Links have the bodies' names, or those of joints between which nothing has mass (universal and planar joints are two
    and three). Limits are those of single joints that are driven; friction is `dynamics` of a driven joint.

    Parameters
    ----------
    mechanism : Mechanism
        In float64.

    Raises
    ------
    SettingsError
        If it closes loops, or has spherical joints or such without spin, which URDF has not.
    """
    description, tree = mechanism.description, mechanism.tree
    if tree.cut:
        loops = ", ".join(joint.name for joint in tree.cut)
        raise SettingsError(
            f"format urdf: needs a tree, and '{mechanism.name}' closes {len(tree.cut)} loops ({loops}); mjcf and sdf "
            "have loops"
        )
    other = [joint.name for joint in tree.carried if joint.type in ("spherical", "no_spin")]
    if other:
        raise SettingsError(
            f"format urdf: has no joint like '{other[0]}' of '{mechanism.name}'; use mjcf or sdf"
        )
    body_of = {frame: name for name, frame in tree.body_frames.items()}
    taken = {BASE, *body_of.values()}
    names = [BASE]
    masses = inertials(mechanism)
    own = [_joint_name(mechanism, f, frame) for f, frame in enumerate(tree.frames)]
    parts = [_link(BASE, None)]
    driven = _driven(mechanism)
    for f, frame in enumerate(tree.frames[1:], 1):
        names.append(body_of.get(f) or fresh(f"{own[f]}:frame", taken))
        parts.append(_joint(mechanism, f, (own[f], names[frame.parent], names[f]), driven.get(own[f], "")))
        parts.append(_link(names[f], masses.get(body_of.get(f, ""))))
    gravity = numbers(FLOAT64.array(description.gravity))
    return (
        f'<?xml version="1.0"?>\n<robot name={quoteattr(mechanism.name)}>\n'
        f"<!-- Gravity of the machine file, m/s^2: {gravity} -->\n{''.join(parts)}</robot>\n"
    )


def _joint_name(mechanism: Mechanism, f: int, frame: Frame) -> str:
    if frame.joint < 0:
        return f"frame_{f}"
    name = mechanism.description.joints[frame.joint].name
    places = mechanism.tree.joint_frames[name]
    if f not in places:
        return f"{name}:fixed"
    return name if len(places) == 1 else f"{name}_{places.index(f) + 1}"


def _driven(mechanism: Mechanism) -> dict[str, str]:
    """Return limits and friction of joints that are driven as they are, by their names."""
    friction, texts = mechanism.description.friction, {}
    for i, drive in enumerate(mechanism.description.drives):
        factors = {name: FLOAT64.number(one) for name, one in drive.measure.joints.items()}
        if (
            drive.measure.kind != "combination"
            or list(factors.values()) != [1.0]
            or FLOAT64.number(drive.measure.offset)
        ):
            continue
        low, high = FLOAT64.array(drive.limits) if drive.limits else (-_FARTHEST, _FARTHEST)
        text = f'<limit lower="{float(low)!r}" upper="{float(high)!r}" effort="{_EFFORT}" velocity="{_VELOCITY}"/>'
        viscous, coulomb = float(friction.viscous[i]), float(friction.coulomb[i])
        if viscous or coulomb:
            text += f'<dynamics damping="{viscous!r}" friction="{coulomb!r}"/>'
        texts[next(iter(factors))] = text
    return texts


def _joint(mechanism: Mechanism, f: int, names: tuple[str, str, str], driven: str) -> str:
    name, parent, child = names
    frame, placement = mechanism.tree.frames[f], mechanism.model.placement[f]
    kind = {FIXED: "fixed", REVOLUTE: "revolute", PRISMATIC: "prismatic"}[frame.kind]
    axis = np.zeros(3)
    axis[frame.axis] = frame.sign
    limits = f'<limit lower="{-_FARTHEST}" upper="{_FARTHEST}" effort="{_EFFORT}" velocity="{_VELOCITY}"/>'
    moving = "" if kind == "fixed" else f'<axis xyz="{numbers(axis)}"/>{driven or limits}'
    roll = yaw_pitch_roll(placement[:ORIGIN])[::-1]
    return (
        f'<joint name={quoteattr(name)} type="{kind}">'
        f'<origin xyz="{numbers(placement[ORIGIN])}" rpy="{numbers(roll)}"/>'
        f"<parent link={quoteattr(parent)}/><child link={quoteattr(child)}/>{moving}</joint>\n"
    )


def _link(name: str, body: Inertial | None) -> str:
    if body is None:
        return f"<link name={quoteattr(name)}/>\n"
    return f"<link name={quoteattr(name)}>{inertial_xml(body)}</link>\n"


def inertial_xml(body: Inertial, pose: str = "urdf") -> str:
    """Return the element `inertial` of a body, as URDF has it or SDF."""
    elements = zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), body.inertia[np.triu_indices(3)], strict=True)
    place = numbers(body.center)
    if pose == "urdf":
        tensor = " ".join(f'{name}="{float(value)!r}"' for name, value in elements)
        return f'<inertial><origin xyz="{place}"/><mass value="{float(body.mass)!r}"/><inertia {tensor}/></inertial>'
    tensor = "".join(f"<{name}>{float(value)!r}</{name}>" for name, value in elements)
    mass = f"<mass>{float(body.mass)!r}</mass>"
    return f"<inertial><pose>{place} 0 0 0</pose>{mass}<inertia>{tensor}</inertia></inertial>"
