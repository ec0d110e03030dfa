# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The first file of bodies and joints, from what another program's file says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pkm_identification.errors import MachineError, SettingsError
from pkm_identification.mechanisms.known_statements import KEY as KNOWN
from pkm_identification.mechanisms.multibody.description.plausibility import impossible_gyration
from pkm_identification.mechanisms.multibody.description.reader import read_document
from pkm_identification.mechanisms.multibody.description.records import GROUND
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.structure.bodies import is_possible
from pkm_identification.mechanisms.plausibility import BodyNumbers, gyration_bounds
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import build_vector_from_matrix

from ..formats import dump_plain
from .graph import GUESS, SINGLE, Draft, DraftJoint, Link
from .kinds import GUESSED

MM = 1e-3  # m
MOST_DRIVES = 12
_MARGIN = 0.1  # of the stroke: how far home is put inside the limits where the file stands outside
_NOTHING = 1e-12  # kg, m, rad: what is written as 0


def write_file(draft: Draft, name: str, source: str, drives: Sequence[str] = ()) -> tuple[str, list[str]]:
    """Return the text of a first machine file, and what a person should look at.

    Parameters
    ----------
    draft : Draft
    name : str
        Of the machine.
    source : str
        The file it comes from, for messages.
    drives : sequence of str
        Joints that are driven; those with actuators unless given, else as many as there are degrees of freedom, next to
        the ground first.

    Raises
    ------
    SettingsError
        If joints that are driven are no joints with one coordinate, or no choice of drives moves the machine.
    MachineError
        If bodies and joints make no machine.
    """
    joints = {joint.name: joint for joint in draft.joints}
    singles = [joint.name for joint in draft.joints if joint.type in SINGLE]
    asked = tuple(drives) or draft.driven
    for drive in asked:
        if drive not in singles:
            raise SettingsError(
                f"{source}: joint '{drive}' cannot be driven; joints with one coordinate: {', '.join(singles)}"
            )
    if not singles:
        raise SettingsError(f"{source}: no joint can be driven: none is {' or '.join(SINGLE)}")
    draft = _with_possible_bodies(draft, name, source, [joints[one] for one in asked or singles])
    given = [joints[one] for one in asked]
    try:
        document, chosen = _build_driven(draft, name, source, given, [joints[one] for one in singles])
    except (MachineError, SettingsError):
        draft, before = _with_possible_moments(draft), draft
        if draft is before:
            raise
        document, chosen = _build_driven(draft, name, source, given, [joints[one] for one in singles])
    notes = list(draft.notes)
    if not asked:
        notes.append(f"driven are {', '.join(chosen)}: the file says of none; --drives NAME,... names others")
    left = [joint.name for joint in draft.joints if joint.inertia and joint.drive not in document["drives"]]
    if left:
        notes.append(f"{', '.join(left)}: inertia (armature) of joints that are not driven is left out")
    return _text(document, source, draft, bool(asked)), notes


def _with_possible_bodies(draft: Draft, name: str, source: str, driven: list[DraftJoint]) -> Draft:
    """Return the draft with the moments of bodies that cannot have them scaled to what a body of that size can have."""
    description = read_document(_document(draft, name, driven), source, plausible=False)
    links, notes = [], []
    wrong = {one.place.partition(".")[2]: one for one in impossible_gyration(description)}
    _refuse_long_bodies(draft, wrong, source)
    for link in draft.links:
        if link.name in wrong:
            radius, nearest = gyration_bounds(wrong[link.name])
            link = replace(link, inertia=link.inertia * (nearest / radius) ** 2, known=GUESS)
            notes.append(
                f"{link.name}: {GUESSED}: its inertia has a radius of gyration of {radius:.3g} m, which no body of its "
                f"size and mass has; scaled to {nearest:.3g} m"
            )
        links.append(link)
    return replace(draft, links=tuple(links), notes=(*draft.notes, *notes))


def _build_driven(
    draft: Draft, name: str, source: str, given: list[DraftJoint], singles: list[DraftJoint]
) -> tuple[dict[str, Any], list[str]]:
    """Return the document with the given joints driven, or those that are chosen, and their names."""
    if not given:
        return _choose_drives(draft, name, source, singles)
    document = _document(draft, name, given)
    Mechanism.from_document(document, source)
    return document, [joint.name for joint in given]


def _with_possible_moments(draft: Draft) -> Draft:
    """Return the draft whose bodies have no principal moment beyond both others together; itself where none has."""
    links, notes = [], []
    for link in draft.links:
        nearest = _find_possible_moments(link.inertia)
        if nearest is not None:
            link = replace(link, inertia=nearest, known=GUESS)
            notes.append(
                f"{link.name}: {GUESSED}: one of its principal moments is larger than the other two together, as of no "
                "body; changed to the nearest that one can have"
            )
        links.append(link)
    return replace(draft, links=tuple(links), notes=(*draft.notes, *notes)) if notes else draft


def _find_possible_moments(inertia: FloatArray) -> FloatArray | None:
    """Return the nearest inertia (3, 3) that a body can have to one with a moment beyond both others; else None."""
    sizes, axes = np.linalg.eigh(inertia)
    beyond = sizes[2] - sizes[0] - sizes[1]
    if sizes[0] < 0.0 or is_possible(inertia):
        return None
    return np.asarray((axes * (sizes + beyond / 3.0 * np.array([1.0, 1.0, -1.0]))) @ axes.T)


def _refuse_long_bodies(draft: Draft, wrong: Mapping[str, BodyNumbers], source: str) -> None:
    """Refuse a file half of whose bodies could have their inertia at a thousandth of their length: that is in mm."""
    heavy = [link.name for link in draft.links if link.mass > 0.0 and np.any(link.inertia)]
    in_mm = {
        name: gyration_bounds(
            replace(wrong[name], spans=MM * wrong[name].spans, reaches=MM * wrong[name].reaches)
        )
        for name in heavy
        if name in wrong
    }
    long = [name for name, (radius, nearest) in in_mm.items() if radius == nearest]
    if long and 2 * len(long) >= len(heavy):
        radius, _ = in_mm[long[0]]
        raise MachineError(
            f"{source}: {', '.join(long)}: as long as they are, bodies cannot have their mass and inertia ({long[0]}: "
            f"a radius of gyration of {radius:.3g} m); a thousandth as long they can: lengths in mm? Write m"
        )


def _choose_drives(
    draft: Draft, name: str, source: str, singles: list[DraftJoint]
) -> tuple[dict[str, Any], list[str]]:
    """Return the document with all slides driven, or the fewest joints that move the machine, near the ground first."""
    followers = {next(iter(coupling.factors)) for coupling in draft.couplings}
    slides = [joint for joint in singles if joint.type == "prismatic" and joint.name not in followers]
    singles = sorted(singles, key=lambda joint: (joint.name in followers, GROUND not in joint.bodies))
    problem: MachineError | None = None
    for drives in (
        *([slides] if slides else []),
        *(singles[:count] for count in range(1, min(len(singles), MOST_DRIVES) + 1)),
    ):
        document = _document(draft, name, drives)
        try:
            Mechanism.from_document(document, source)
        except MachineError as error:
            problem = error
            continue
        return document, [joint.name for joint in drives]
    raise SettingsError(
        f"{source}: no choice of drives was found ({problem}); --drives NAME,... says which joints are driven"
    )


def _document(draft: Draft, name: str, driven: list[DraftJoint]) -> dict[str, Any]:
    document: dict[str, Any] = {"schema": "1", "kind": "mechanism", "name": name}
    if draft.gravity is not None:
        document["gravity"] = _texts(draft.gravity)
    document["bodies"] = {link.name: _body(link) for link in draft.links}
    passive = {joint.name for joint in draft.joints} - {joint.name for joint in driven}
    document["joints"] = {joint.name: _joint(joint, joint.name in passive) for joint in draft.joints}
    if draft.couplings:
        document["couplings"] = {
            one.name: {
                "sum": {joint: _text_of(factor) for joint, factor in one.factors.items()},
                "offset": _text_of(one.offset),
            }
            for one in draft.couplings
        }
    document["drives"] = {joint.drive: _drive(joint) for joint in driven}
    home = {joint.drive: _text_of(_inside(joint)) for joint in driven}
    document["home"] = {"drives": home, "guess": dict(_guesses(draft.joints))}
    document["friction"] = {
        "viscous": _texts([joint.viscous for joint in driven]),
        "coulomb": _texts([joint.coulomb for joint in driven]),
    }
    return document


def _body(link: Link) -> dict[str, Any]:
    if not link.mass > 0.0:
        return {KNOWN: GUESS, "mass": "0"}
    known = {KNOWN: link.known} if link.known else {}
    inertia = link.inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    of_mass = {"mass": _text_of(link.mass), "center_of_mass": _texts(link.center), "inertia": _texts(inertia)}
    return known | of_mass


def _joint(joint: DraftJoint, passive: bool) -> dict[str, Any]:
    entry: dict[str, Any] = {"type": joint.type, "bodies": list(joint.bodies)}
    entry["place"] = [_texts(frame.origin) for frame in joint.frames]
    turns = [frame.rotation for frame in joint.frames]
    if joint.second is not None:
        entry["axis"] = [_texts(turns[0] @ joint.axis), _texts(turns[1] @ joint.second)]
        entry["reference"] = [_texts(turns[0] @ joint.second), _texts(turns[1] @ joint.axis)]
    elif joint.type in (*SINGLE, "planar", "fixed"):
        across = np.eye(3)[int(np.argmin(np.abs(joint.axis)))]
        entry["axis"] = [_texts(turn @ joint.axis) for turn in turns]
        entry["reference"] = [_texts(turn @ across) for turn in turns]
    if passive and (joint.viscous or joint.coulomb):
        entry["friction"] = {"viscous": _text_of(joint.viscous), "coulomb": _text_of(joint.coulomb)}
    limits = _limits(joint)
    if passive and limits:
        entry["limits"] = limits if joint.second is not None else limits[0]
    return entry


def _limits(joint: DraftJoint) -> list[list[str]]:
    """Return the limits of a passive joint's coordinates that hold at home; nothing where one has none."""
    found = []
    starts = [joint.start, joint.second_start][: 1 if joint.second is None else 2]
    for limits, start in zip((joint.limits, joint.second_limits), starts, strict=False):
        most = np.inf if joint.type == "prismatic" else np.pi
        low, high = (None, None) if limits is None else limits
        if low is None or high is None or not -most <= low < start < high <= most:
            return []
        found.append(_texts([low, high]))
    return found


def _inside(joint: DraftJoint) -> float:
    """Return a driven joint's coordinate at home, moved inside its limits where the file stands at one or outside."""
    if joint.limits is None or joint.limits[0] < joint.start < joint.limits[1]:
        return joint.start
    margin = _MARGIN * (joint.limits[1] - joint.limits[0])
    return float(np.clip(joint.start, joint.limits[0] + margin, joint.limits[1] - margin))


def _drive(joint: DraftJoint) -> dict[str, Any]:
    entry: dict[str, Any] = {"joint": joint.name}
    entry["force"] = f"force_{joint.name}" if joint.type == "prismatic" else f"torque_{joint.name}"
    if joint.limits is not None:
        entry["limits"] = _texts(joint.limits)
    if joint.inertia:
        entry["inertia"] = _text_of(joint.inertia)
    return entry


def _guesses(joints: Sequence[DraftJoint]) -> Iterator[tuple[str, Any]]:
    """Yield coordinates at home of joints that are not zero there."""
    for joint in joints:
        if joint.type in SINGLE and abs(joint.start) > _NOTHING:
            yield joint.name, _text_of(joint.start)
        if joint.second is not None and max(abs(joint.start), abs(joint.second_start)) > _NOTHING:
            yield joint.name, _texts([joint.start, joint.second_start])
        if joint.type == "spherical":
            turn = build_vector_from_matrix(joint.frames[0].rotation @ joint.frames[1].rotation.T)
            yield joint.name, _texts(turn)


def _text(document: dict[str, Any], source: str, draft: Draft, drives_are_stated: bool) -> str:
    guessed = {
        "friction": f"{GUESSED} where it is 0: what the file does not say; found by pkm identify",
        "home": "as the file stands",
    }
    if not drives_are_stated:
        guessed["drives"] = f"{GUESSED}: the file does not say which joints are driven"
    if draft.gravity is None:
        guessed["bodies"] = f"{GUESSED}: gravity is [0, 0, -9.81], the file has none"
    lines = []
    for line in dump_plain(document).splitlines():
        key = line.partition(":")[0]
        lines.append(f"{line}  # {guessed[key]}" if key in guessed and line.endswith(":") else line)
    return (
        f"# Written by pkm init from {source}. Lines that say {GUESSED} are starting points. SI units.\n"
        "# More: docs/mechanisms.md\n" + "\n".join(lines) + "\n"
    )


def _texts(values: Sequence[float] | FloatArray) -> list[str]:
    return [_text_of(value) for value in values]


def _text_of(value: float) -> str:
    return f"{value:.13g}" if abs(value) > _NOTHING else "0"
