# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Where a machine's universal joints are and which way their fixed hinges point: the sections of a machine file."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from pkm_identification.document import Node, frozen
from pkm_identification.errors import PkmError
from pkm_identification.motion import STRUT_NAMES, STRUTS
from pkm_identification.numerics.arrays import FloatArray

from .joint_limits import JointLimits, read_joint_limits

# Names stand in lists with commas, in headers of columns and in XML, comments included.
NAME = re.compile(r"(?!.*--)[^\s,;|\"'<>&=]+")


def read_joint_names(node: Node) -> tuple[str, ...]:
    """Return names of struts 1 to 6; `strut_1` to `strut_6` where the file has none.

    Raises
    ------
    MachineError
        If they are not six different names without blanks and signs that divide lists.
    """
    given = node.value
    if given is None:
        return STRUT_NAMES
    if not isinstance(given, list) or len(given) != STRUTS:
        node.fail(f"= {given!r}: must be a list of six names, of struts 1 to 6")
    names = tuple(entry.text() for entry in node.entries())
    for name in names:
        if not NAME.fullmatch(name):
            node.fail(f"= {given!r}: '{name}' must be a name without blanks, commas, quotes and signs of XML")
    if len(set(names)) != STRUTS:
        repeated = next(name for name in names if names.count(name) > 1)
        node.fail(f"= {given!r}: '{repeated}' is there twice; each strut needs a different name")
    return names


BASE_JOINTS = ("no_spin", "universal", "spherical")
PLATFORM_JOINTS = ("spherical", "universal")
DIRECTIONS = ("radial", "tangential")
SMALLEST_AXIS = 1e-9  # length of a direction as it is written, without unit
# Of the joints' extent: a joint as near to the middle has no direction away from it.
SMALLEST_RADIUS = 1e-6


@dataclass(frozen=True)
class Joints:
    """Kinds of the joints at both ends, and the hinges fixed in the base or in the platform.

    Attributes
    ----------
    base : {'no_spin', 'universal', 'spherical'}
    platform : {'spherical', 'universal'}
    first_axes : ndarray, shape (6, 3)
        Unit vectors, in the frame of the end whose joints are universal; of the base where none are.
    limits : JointLimits
        How far they may turn.
    """

    base: str
    platform: str
    first_axes: FloatArray
    limits: JointLimits


def read_joints(geometry: Node, base_places: FloatArray, platform_places: FloatArray) -> Joints:
    """Return the keys `base_joint` and `platform_joint` of a machine file's section `geometry`.

    Parameters
    ----------
    geometry : Node
    base_places, platform_places : ndarray, shape (6, 3)
        Joint centres in their frames, m: what radial and tangential hinges are counted from.

    Raises
    ------
    MachineError
        If a kind is unknown, the two do not go together, or a hinge has no direction: names the key.
    """
    platform_node = geometry.take("platform_joint", {"type": "spherical"})
    platform = platform_node.take("type").choice(PLATFORM_JOINTS)
    free = "spherical" if platform == "universal" else "no_spin"
    base_node = geometry.take("base_joint", {"type": free})
    kind = base_node.take("type")
    base = kind.choice(BASE_JOINTS)
    axes = np.tile([1.0, 0.0, 0.0], (STRUTS, 1))
    if platform == "universal":
        if base != "spherical":
            kind.fail(
                f"= '{base}' and geometry.platform_joint.type = 'universal': one end is universal and the other "
                "spherical"
            )
        axes = _read_first_axes(platform_node, platform_places)
    elif base != "spherical":
        axes = _read_first_axes(base_node, base_places)
    limits = read_joint_limits(base_node, platform_node, base, platform)
    base_node.close()
    platform_node.close()
    return Joints(base, platform, frozen(axes), limits)


def _read_first_axes(joint: Node, places: FloatArray) -> FloatArray:
    """Hinges of a joint's section, (6, 3): one for all, six, or by name."""
    several = joint.take("first_axes", None)
    # no default beside them: a document completed by what was taken can be read again
    single = joint.take("first_axis", [1.0, 0.0, 0.0] if several.value is None else None)
    if several.value is None:
        if isinstance(single.value, str):
            single.fail(f"= '{single.value}': must be 3 numbers; first_axes takes {' or '.join(DIRECTIONS)}")
        return np.tile(_normalise(single, single.array(3)), (STRUTS, 1))
    if joint.has("first_axis"):
        several.fail("and first_axis are both given; give one of them")
    if isinstance(several.value, str):
        try:
            return hinges_by_name(several.choice(DIRECTIONS), places)
        except PkmError as error:
            several.fail(f"= '{several.value}': {error}")
    if not isinstance(several.value, list) or len(several.value) != STRUTS:
        several.fail(f"must be six vectors, or one of {', '.join(DIRECTIONS)}")
    return np.array([_normalise(entry, entry.array(3)) for entry in several.entries()])


def _normalise(node: Node, axis: FloatArray) -> FloatArray:
    size = np.linalg.norm(axis)
    if size < SMALLEST_AXIS:
        node.fail("has no length; give the direction of the joint's fixed hinge")
    return axis / size


def plane_of_joints(places: FloatArray) -> FloatArray:
    """Axes (3, 3) of six joints at `places` (6, 3): along their extents, the last normal to the plane nearest to them.

    The largest component of the normal is positive.
    """
    axes = np.linalg.svd(places - places.mean(axis=0))[2]
    axes[2] *= np.sign(axes[2, np.argmax(np.abs(axes[2]))])
    return axes


def hinges_by_name(name: str, places: FloatArray) -> FloatArray:
    """Directions away from the middle of six joints in the plane nearest to them, or across these.

    Parameters
    ----------
    name : {'radial', 'tangential'}
    places : ndarray, shape (6, 3)
        Joint centres, m.

    Returns
    -------
    ndarray, shape (6, 3)
        Unit vectors.

    Raises
    ------
    PkmError
        If a joint is in the middle.
    """
    centred = places - places.mean(axis=0)
    normal = plane_of_joints(places)[2]
    outward = centred - np.outer(centred @ normal, normal)
    radius = np.linalg.norm(outward, axis=1)
    near = np.flatnonzero(radius <= SMALLEST_RADIUS * radius.max())
    if near.size:
        raise PkmError(f"joint {near[0] + 1} is in the middle of the six; give six vectors")
    outward /= radius[:, None]
    return outward if name == "radial" else np.cross(normal, outward)
