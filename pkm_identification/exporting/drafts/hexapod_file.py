# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A hexapod among bodies and joints: recognised by its graph, written as the file of the compiled special case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import yaml
from scipy.optimize import least_squares

from pkm_identification.mechanisms.hexapod.joints import NAME
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.known_statements import KEY as KNOWN
from pkm_identification.mechanisms.multibody.description.records import GROUND
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import build_quaternion_from_matrix, matrix_from_vector

from ..new_machine import STROKE
from .graph import Draft, DraftJoint, Frame, Link
from .kinds import GUESSED

_ON_LINE_M = 1e-5  # of centres from a strut's line: what files of five decimals round to
_ACROSS = 1e-4  # cosine of hinges and struts at a right angle
_ALIKE = 1e-3  # relative difference of a strut's moments across it, of numbers that a hexapod has once
_NOTHING = 1e-12  # m, kg m^2: what is written as 0
_LEAD_M = 0.01  # of the screw that stands for slides with inertia or a largest force
_ANY_FORCE_N = 1e9
_SAMPLE_RATE_HZ = 1000.0
_INSIDE = 0.1  # of the stroke: how far home is put inside the limits where the file stands outside


@dataclass(frozen=True)
class _Leg:
    """A strut: its joint on the ground, slide and joint at the platform, seen outwards, and its two bodies."""

    base: DraftJoint
    slide: DraftJoint
    platform: DraftJoint
    body_b: Link
    body_e: Link

    def to_platform(self) -> Frame:
        """Return the platform in the ground's frame as the file stands."""
        return self.base.at_home @ self.slide.at_home @ self.platform.at_home


class NoHexapodError(Exception):
    """Says why bodies and joints are no hexapod."""


def is_like_hexapod(draft: Draft) -> bool:
    """Return whether bodies and joints are as many, of the kinds, that a hexapod has."""
    slides = [joint for joint in draft.joints if joint.type == "prismatic"]
    counts = len(slides) == STRUTS and len(draft.joints) == 3 * STRUTS and len(draft.links) == 2 * STRUTS + 1
    return counts and not draft.couplings


def write_hexapod(draft: Draft, name: str, source: str, driven: Sequence[str]) -> tuple[str, list[str]]:
    """Return the text of a hexapod's machine file, and what a person should look at.

    Parameters
    ----------
    draft : Draft
        Without fixed joints and bodies without mass.
    name, source : str
        Of the machine; the file it comes from.
    driven : sequence of str
        Joints that are driven, in this order; the slides where there are none.

    Raises
    ------
    NoHexapodError
        If it is none.
    MachineError
        If the numbers are no machine's.
    """
    slides = [joint.name for joint in draft.joints if joint.type == "prismatic"]
    if driven and sorted(driven) != sorted(slides):
        raise NoHexapodError(f"{', '.join(driven)} are driven, not the six slides")
    legs, platform = _find_legs(draft, list(driven) or slides)
    document, notes = _document(draft, name, legs, platform)
    document = _round(document)
    Machine.from_document(document, source)
    return _text(document, source, draft), notes


def _find_legs(draft: Draft, slides: Sequence[str]) -> tuple[list[_Leg], Link]:
    links = {link.name: link for link in draft.links}
    joints = {joint.name: joint for joint in draft.joints}
    legs = []
    for name in slides:
        ends = [
            [one for one in draft.joints if body in one.bodies and one.name != name]
            for body in joints[name].bodies
        ]
        if any(len(found) != 1 for found in ends):
            raise NoHexapodError(
                f"a body at slide '{name}' has {max(map(len, ends))} more joints, expected one"
            )
        near = next((k for k in range(2) if GROUND in ends[k][0].bodies), None)
        if near is None:
            raise NoHexapodError(f"the strut of slide '{name}' does not stand on the ground")
        slide = joints[name].seen_from(joints[name].bodies[near])
        base = ends[near][0].seen_from(GROUND)
        platform = ends[1 - near][0].seen_from(slide.bodies[1])
        legs.append(_Leg(base, slide, platform, links[slide.bodies[0]], links[slide.bodies[1]]))
    tops = {leg.platform.bodies[1] for leg in legs}
    if len(tops) != 1 or GROUND in tops:
        raise NoHexapodError(f"the struts end at {', '.join(sorted(tops))}, expected one platform")
    return legs, links[tops.pop()]


def _document(
    draft: Draft, name: str, legs: Sequence[_Leg], platform: Link
) -> tuple[dict[str, Any], list[str]]:
    kinds = {leg.base.type for leg in legs}, {leg.platform.type for leg in legs}
    if kinds not in (
        ({"no_spin"}, {"spherical"}),
        ({"universal"}, {"spherical"}),
        ({"spherical"}, {"universal"}),
    ):
        both = ", ".join(sorted(kinds[0] | kinds[1]))
        raise NoHexapodError(
            f"joints at the ends of its struts are {both}: expected one end spherical and the other end the same on "
            "all struts"
        )
    struts = [_strut(leg) for leg in legs]
    shifts = np.array([_length_at_zero(leg) for leg in legs])
    base = np.array([leg.base.frames[0].origin for leg in legs])
    top = np.array([leg.platform.frames[1].origin for leg in legs])
    lengths = shifts + np.array([leg.slide.start for leg in legs])
    limits, limit_note = _limits(legs, lengths, shifts)
    home, home_note = _home(legs, base, top, lengths, limits)
    geometry: dict[str, Any] = {"base_joints": base.tolist(), "platform_joints": top.tolist()}
    geometry |= _hinges(legs, kinds)
    geometry["home"] = {
        "position": home.origin.tolist(),
        "quaternion": build_quaternion_from_matrix(home.rotation).tolist(),
    }
    geometry["length_limits"] = list(limits)
    document: dict[str, Any] = {"schema": 1, "name": name}
    if draft.gravity is not None:
        document["gravity"] = draft.gravity.tolist()
    document["geometry"] = geometry
    known = {KNOWN: platform.known} if platform.known else {}
    document["platform"] = {**known, "mass": platform.mass, "center_of_mass": platform.center.tolist()}
    document["platform"]["inertia"] = platform.inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]].tolist()
    struts = _round(struts)
    alike = all(one == struts[0] for one in struts)
    document |= {"strut": struts[0]} if alike else {"struts": struts}
    document["friction"] = {
        "viscous": [leg.slide.viscous for leg in legs],
        "coulomb": [leg.slide.coulomb for leg in legs],
    }
    document["drive"] = {"sample_rate": _SAMPLE_RATE_HZ, **_motor(legs)}
    names = [leg.slide.name for leg in legs]
    if all(NAME.fullmatch(one) for one in names):
        document["joint_names"] = names
    notes = [*limit_note, *home_note]
    if np.abs(shifts).max() > _ON_LINE_M:
        strokes = ", ".join(f"{shift:.6g}" for shift in shifts)
        notes.append(f"lengths are joint to joint: the file's slide positions and {strokes} m")
    if any(joint.viscous or joint.coulomb for leg in legs for joint in (leg.base, leg.platform)):
        notes.append(
            "friction of joints at the ends of the struts is not exported (friction.joints of the machine file)"
        )
    return document, notes


def _strut(leg: _Leg) -> dict[str, Any]:
    """Return the two bodies of a strut, as a machine file has them."""
    far = leg.slide.at_home.inverse()
    start, end = leg.base.frames[1].origin, leg.platform.frames[0].origin
    line = leg.slide.at_home.origin + leg.slide.at_home.rotation @ end - start
    line = line / np.linalg.norm(line)
    slide = leg.slide.frames[0].rotation @ leg.slide.axis
    if np.linalg.norm(line - slide * np.sign(line @ slide)) > _ON_LINE_M:
        raise NoHexapodError(f"slide '{leg.slide.name}' is not along the line of its strut's joints")
    return {
        "body_b": _rod(leg.body_b, start, line),
        "body_e": _rod(leg.body_e, end, -(far.rotation @ line)),
    }


def _rod(body: Link, start: FloatArray, line: FloatArray) -> dict[str, Any]:
    """Return a body that is symmetric about its strut, its centre of mass counted from its joint."""
    arm = body.center - start
    along = float(arm @ line)
    axial = float(line @ body.inertia @ line)
    transverse = 0.5 * (float(np.trace(body.inertia)) - axial)
    round_one = transverse * np.eye(3) + (axial - transverse) * np.outer(line, line)
    if np.linalg.norm(arm - along * line) > _ON_LINE_M:
        raise NoHexapodError(f"the centre of mass of '{body.name}' is not on the line of its strut")
    if np.abs(body.inertia - round_one).max() > _ALIKE * max(transverse, axial):
        raise NoHexapodError(f"'{body.name}' is not symmetric about the line of its strut")
    known = {KNOWN: body.known} if body.known else {}
    return {
        **known,
        "mass": body.mass,
        "center_of_mass": along,
        "inertia": [transverse, axial],
    }


def _round(value: Any) -> Any:
    """Return numbers, lists and mappings of numbers without the rounding that made those differ that are alike."""
    if isinstance(value, dict):
        return {key: _round(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_round(one) for one in value]
    if not isinstance(value, float):
        return value
    return float(f"{value:.12g}") if abs(value) > _NOTHING else 0.0


def _length_at_zero(leg: _Leg) -> float:
    """Return the strut's length where the file's own coordinate of its slide is zero."""
    joined = leg.slide.at_home
    line = joined.origin + joined.rotation @ leg.platform.frames[0].origin - leg.base.frames[1].origin
    sign = np.sign(line @ (leg.slide.frames[0].rotation @ leg.slide.axis))
    if sign < 0:
        raise NoHexapodError(f"slide '{leg.slide.name}' makes its strut shorter where its coordinate grows")
    return float(np.linalg.norm(line)) - leg.slide.start


def _limits(
    legs: Sequence[_Leg], lengths: FloatArray, shifts: FloatArray
) -> tuple[tuple[float, float], list[str]]:
    """Return the shortest and the longest strut, those that all six struts allow."""
    ends = [leg.slide.limits for leg in legs]
    stated = [
        (low + shift, high + shift) for (low, high), shift in zip(filter(None, ends), shifts, strict=False)
    ]
    if len(stated) < STRUTS:
        return (float((1 - STROKE) * lengths.min()), float((1 + STROKE) * lengths.max())), [
            f"limits of the lengths are {GUESSED}: {100 * STROKE:.0f} % beyond the lengths at home"
        ]
    low, high = max(one[0] for one in stated), min(one[1] for one in stated)
    note = [] if np.allclose(stated, stated[0]) else ["limits are those that all six struts have in common"]
    return (low, high), note


def _home(
    legs: Sequence[_Leg], base: FloatArray, top: FloatArray, lengths: FloatArray, limits: tuple[float, float]
) -> tuple[Frame, list[str]]:
    """Return the platform's pose at home, moved inside the limits where the file stands outside."""
    pose = legs[0].to_platform()
    gap = np.linalg.norm(pose.origin + top @ pose.rotation.T - base, axis=1) - lengths
    low, high = limits
    inside = bool(np.all((lengths > low) & (lengths < high)))
    if inside and np.abs(gap).max() < _ON_LINE_M:
        return pose, []
    margin = 0.0 if inside else _INSIDE * (high - low)
    wanted = np.clip(lengths, low + margin, high - margin)

    def miss(step: FloatArray) -> FloatArray:
        turned = pose.rotation @ matrix_from_vector(step[3:])
        return np.asarray(np.linalg.norm(pose.origin + step[:3] + top @ turned.T - base, axis=1) - wanted)

    found = least_squares(miss, np.zeros(2 * 3), x_scale="jac", xtol=1e-15, ftol=1e-15, gtol=1e-15)
    if np.abs(found.fun).max() > _ON_LINE_M:
        raise NoHexapodError("no pose was found at which all six lengths are within their limits")
    step = found.x
    moved = Frame(np.asarray(pose.rotation @ matrix_from_vector(step[3:])), pose.origin + step[:3])
    why = (
        "its loops are open as it stands"
        if inside
        else "as the file stands, lengths are outside their limits"
    )
    return moved, [f"home is where struts are {', '.join(f'{one:.4g}' for one in wanted)} m long: {why}"]


def _hinges(legs: Sequence[_Leg], kinds: tuple[set[str], set[str]]) -> dict[str, Any]:
    """Return the sections of the joints at both ends."""
    if kinds[0] == {"no_spin"}:
        return {}
    if kinds[0] == {"universal"}:
        ends = [leg.base for leg in legs]
    else:
        ends = [leg.platform.seen_from(leg.platform.bodies[1]) for leg in legs]
    side = int(kinds[0] != {"universal"})  # the slide's frame in the body at that end
    lines = [leg.slide.frames[side].rotation @ leg.slide.axis for leg in legs]
    for end, line in zip(ends, lines, strict=True):
        assert end.second is not None
        if abs((end.frames[1].rotation @ end.second) @ line) > _ACROSS:
            raise NoHexapodError(f"the second hinge of '{end.name}' is not across its strut")
    axes = [(end.frames[0].rotation @ end.axis).tolist() for end in ends]
    section = {"type": "universal", "first_axes": axes}
    if kinds[0] == {"universal"}:
        return {"base_joint": section}
    return {"base_joint": {"type": "spherical"}, "platform_joint": section}


def _motor(legs: Sequence[_Leg]) -> dict[str, Any]:
    """Return a motor with the inertia and the largest force of the slides; nothing where they have none."""
    inertia = np.array([leg.slide.inertia for leg in legs])
    limit = min(leg.slide.force_limit for leg in legs)
    if not inertia.any() and limit == np.inf:
        return {}
    if np.ptp(inertia) > _ALIKE * inertia.max():
        raise NoHexapodError("its slides have inertia (armature) that differs from strut to strut")
    lever = _LEAD_M / (2 * np.pi)
    motor = {"torque_constant": lever, "screw_lead": _LEAD_M, "gear_ratio": 1.0, "efficiency": 1.0}
    motor |= {"force_limit": min(limit, _ANY_FORCE_N), "inertia": float(inertia.mean()) * lever**2}
    return {"motor": motor}


def _text(document: dict[str, Any], source: str, draft: Draft) -> str:
    said = {
        "friction": f"{GUESSED} where it is 0: what the file does not say; found by pkm identify",
        "drive": f"{GUESSED}: sample rate of the logs"
        + (
            "; a motor with a force of 1 N per A, and the inertia of the file's slides"
            if "motor" in document["drive"]
            else ""
        ),
    }
    if draft.gravity is None:
        said["geometry"] = f"{GUESSED}: gravity is [0, 0, -9.81], the file has none"
    lines = []
    for line in yaml.safe_dump(document, sort_keys=False, default_flow_style=None, width=110).splitlines():
        key, colon, rest = line.partition(":")
        lines.append(f"{line}  # {said[key]}" if colon and not rest and key in said else line)
        if key in said and rest:
            lines[-1:] = [f"# {said[key]}", line]
    return (
        f"# Written by pkm init from {source}, a hexapod. Lines that say {GUESSED} are starting points. SI units.\n"
        "# More: docs/machine_file.md\n" + "\n".join(lines) + "\n"
    )
