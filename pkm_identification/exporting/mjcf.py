# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""MJCF of a machine for other MuJoCo programs: it starts at home, is drawn, has motors, limits and friction."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import numpy as np

from pkm_identification.mechanisms.multibody.description.records import GROUND, Drive, Joint
from pkm_identification.mechanisms.multibody.dynamics import forces
from pkm_identification.mechanisms.multibody.kinematics import motion_of_drives, read
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.numbers.arithmetic import FLOAT64
from pkm_identification.simulation.multibody.mjcf import build_mechanism_mjcf
from pkm_identification.simulation.multibody.tree_model import fresh, numbers
from pkm_identification.version import __version__

from .shapes import COLOURS, list_shapes

_LAW = ("viscous", "coulomb")  # coefficients of a friction law that MuJoCo has


def build_complete_mjcf(mechanism: Mechanism) -> str:
    """Return the MJCF text of a machine with closed loops.

    To `build_mechanism_mjcf` it adds: a motor for each drive (N or N m) with its limit, the forces that hold the
    machine at home as the keyframe's `ctrl`, limits of the drives' coordinates and of passive joints, viscous and
    Coulomb friction of drives and joints as `damping` and `frictionloss`, shapes without contact. A comment names what
    MuJoCo has no place for.

    Parameters
    ----------
    mechanism : Mechanism
        In float64.
    """
    root = ElementTree.fromstring(build_mechanism_mjcf(mechanism))
    lacking = _list_lacking_terms(mechanism)
    for joint in mechanism.description.joints:
        lacking += _complete_joint(root, mechanism, joint)
    driven = []
    actuators = ElementTree.SubElement(root, "actuator")
    for k, drive in enumerate(mechanism.description.drives):
        if _add_motor(root, actuators, drive):
            driven.append(k)
        else:
            lacking.append(f"the motor of '{drive.name}'")
        friction = mechanism.description.friction
        lacking += _complete_drive(root, drive, float(friction.viscous[k]), float(friction.coulomb[k]))
    for one in list_shapes(mechanism):
        ends = {"type": "sphere", "pos": numbers(one.start)}
        if not one.is_ball:
            ends = {"type": "capsule", "fromto": numbers(np.append(one.start, one.end))}
        look = {"size": numbers(one.radius), "rgba": COLOURS[one.colour]}
        # they touch nothing, and masses are given as well
        untouched = {"contype": "0", "conaffinity": "0", "mass": "0"}
        ElementTree.SubElement(_find_body(root, one.body), "geom", {**untouched, **ends, **look})
    key = root.find("keyframe/key")
    assert key is not None
    key.set("ctrl", numbers(_compute_holding_forces(mechanism)[driven]))
    text = f" {mechanism.name}, by pkm export of pkm_identification {__version__}. "
    text += f"Not in it: {', '.join(dict.fromkeys(lacking))}. " if lacking else ""
    root.insert(0, ElementTree.Comment(text.replace("--", "__")))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _compute_holding_forces(mechanism: Mechanism) -> np.ndarray:
    """Return the drives' forces (n,) that hold the machine at home, N or N m."""
    drive = read(mechanism, "drives", mechanism.home)
    still = np.zeros_like(drive)
    motion = motion_of_drives(mechanism, drive, still, still, start=mechanism.home)
    return FLOAT64.array(forces(mechanism, motion, friction=False)[0])


def _list_lacking_terms(mechanism: Mechanism) -> list[str]:
    law = mechanism.description.friction.law
    lacking = [name for name in law.names if name not in _LAW]
    return lacking + (
        [f"the law '{law.name}' between standstill and motion"] if law.name != "coulomb" else []
    )


def _add_motor(root: ElementTree.Element, actuators: ElementTree.Element, drive: Drive) -> bool:
    """Add the motor of a drive; return whether MuJoCo has one for its coordinate."""
    measure = drive.measure
    where: dict[str, str] = {}
    if (found := _find_single(root, drive)) is not None:
        joint, factor = found
        where = {"joint": str(joint.get("name")), "gear": numbers(factor)}
    elif (tendon := _find_tendon(root, drive)) is not None:
        where = {"tendon": str(tendon.get("name")), "gear": "1"}
    elif measure.kind == "position":
        taken = {str(site.get("name")) for site in root.iter("site")}
        sites = [fresh(f"{drive.name}:{side}", taken) for side in (1, 2)]
        for body, point, site in zip(measure.bodies, measure.points, sites, strict=True):
            position = np.zeros(3) if body == GROUND else FLOAT64.array(point)
            ElementTree.SubElement(_find_body(root, body), "site", name=site, pos=numbers(position))
        gear = numbers(np.append(FLOAT64.array(measure.direction), np.zeros(3)))
        where = {"site": sites[1], "refsite": sites[0], "gear": gear}
    else:
        return False
    if np.isfinite(drive.force_limit):
        where |= {"forcelimited": "true", "forcerange": numbers([-drive.force_limit, drive.force_limit])}
    ElementTree.SubElement(actuators, "motor", {"name": drive.name, **where})
    return True


def _complete_drive(root: ElementTree.Element, drive: Drive, viscous: float, coulomb: float) -> list[str]:
    """Give a drive's joint or tendon its friction and limits; return what MuJoCo has no place for."""
    offset = FLOAT64.number(drive.measure.offset) if drive.measure.kind == "combination" else 0.0
    if (found := _find_single(root, drive)) is not None:
        element, factor = found
    elif (tendon := _find_tendon(root, drive)) is not None:
        element, factor = tendon, 1.0
    else:
        lacking = [f"friction of '{drive.name}'"] if viscous or coulomb else []
        return lacking + ([f"limits of '{drive.name}'"] if drive.limits else [])
    _add_friction(element, factor**2 * viscous, abs(factor) * coulomb)
    if drive.limits:
        ends = (FLOAT64.array(drive.limits) - offset) / factor
        _limit(element, float(ends.min()), float(ends.max()))
    return []


def _complete_joint(root: ElementTree.Element, mechanism: Mechanism, joint: Joint) -> list[str]:
    """Give a passive joint its friction and limits; return what MuJoCo has no place for."""
    single = [one for one in _list_parts(root, mechanism, joint) if one.get("type") != "ball"]
    balls = [one for one in _list_parts(root, mechanism, joint) if one.get("type") == "ball"]
    viscous, coulomb = FLOAT64.number(joint.viscous), FLOAT64.number(joint.coulomb)
    for one in single:
        _add_friction(one, viscous, coulomb)
    for one in balls:
        _add_friction(one, viscous, 0.0)
    for one, limits in zip(single, joint.limits, strict=False):
        low, high = FLOAT64.array(limits)
        _limit(one, float(low), float(high))
    lacking = [f"Coulomb friction of '{joint.name}'"] if coulomb and not single else []
    lacking += [f"viscous friction of '{joint.name}'"] if viscous and not single and not balls else []
    return lacking + ([f"limits of '{joint.name}'"] if joint.limits and not single else [])


def _list_parts(root: ElementTree.Element, mechanism: Mechanism, joint: Joint) -> list[ElementTree.Element]:
    """Return MuJoCo's joints that a joint is made of, in the order of its coordinates."""
    names = {joint.name, *(f"{joint.name}_{k}" for k in (1, 2, 3))}
    others = {one.name for one in mechanism.description.joints} - {joint.name}
    return [one for one in root.iterfind("worldbody//joint") if one.get("name") in names - others]


def _find_single(root: ElementTree.Element, drive: Drive) -> tuple[ElementTree.Element, float] | None:
    """Return MuJoCo's joint that a drive turns or pushes alone, and its coordinate's change per that of the joint."""
    if drive.measure.kind != "combination" or len(drive.measure.joints) != 1:
        return None
    ((name, factor),) = drive.measure.joints.items()
    found = next((one for one in root.iterfind("worldbody//joint") if one.get("name") == name), None)
    return None if found is None else (found, FLOAT64.number(factor))


def _find_tendon(root: ElementTree.Element, drive: Drive) -> ElementTree.Element | None:
    return next((one for one in root.iterfind("tendon/*") if one.get("name") == drive.name), None)


def _find_body(root: ElementTree.Element, name: str) -> ElementTree.Element:
    found = [one for one in root.iter("body") if one.get("name") == name]
    world = root.find("worldbody")
    assert world is not None
    return world if name == GROUND else found[0]


def _add_friction(element: ElementTree.Element, viscous: float, coulomb: float) -> None:
    for name, value in (("damping", viscous), ("frictionloss", coulomb)):
        if value:
            element.set(name, numbers(float(element.get(name, "0")) + value))


def _limit(element: ElementTree.Element, low: float, high: float) -> None:
    element.set("limited", "true")
    element.set("range", numbers([low, high]))
