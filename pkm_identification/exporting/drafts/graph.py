# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Bodies and joints as another program's file has them, and the first machine file that they make."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pkm_identification.errors import MachineError, SettingsError
from pkm_identification.mechanisms.known_statements import KEY as KNOWN
from pkm_identification.mechanisms.multibody.description.records import GROUND
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import vector_from_matrix

from ..formats import dump_plain
from .kinds import GUESSED

SINGLE = ("revolute", "prismatic")  # joints that can be driven as they are
MOST_DRIVES = 12
_NOTHING = 1e-12  # kg, m, rad: what is written as 0


@dataclass(frozen=True)
class Frame:
    """A rotation (3, 3) and an origin (3,), m."""

    rotation: FloatArray = field(default_factory=lambda: np.eye(3))
    origin: FloatArray = field(default_factory=lambda: np.zeros(3))

    def __matmul__(self, other: Frame) -> Frame:
        return Frame(self.rotation @ other.rotation, self.origin + self.rotation @ other.origin)

    def inverse(self) -> Frame:
        """Return the other frame in this one."""
        return Frame(self.rotation.T, -self.rotation.T @ self.origin)


@dataclass(frozen=True)
class Link:
    """A body: mass (kg), centre of mass (3,) in m and inertia (3, 3) about it in kg m^2, in its frame.

    `guessed` where the file does not say all of them.
    """

    name: str
    mass: float = 0.0
    center: FloatArray = field(default_factory=lambda: np.zeros(3))
    inertia: FloatArray = field(default_factory=lambda: np.zeros((3, 3)))
    guessed: bool = False


@dataclass(frozen=True)
class DraftJoint:
    """A joint.

    Attributes
    ----------
    name, type : str
        As the machine file has them.
    bodies : tuple of str
    frames : tuple of two Frame
        The joint's frame in either body; they coincide where its coordinate is zero.
    axis, second : ndarray, shape (3,)
        In the joint's frame: the axis, and the second one of a universal joint.
    limits : tuple of float or None
    viscous, coulomb : float
    inertia : float
        Along its coordinate, kg or kg m^2.
    start : float
        Its coordinate at home; of `offset` more in the file that it comes from.
    offset : float
    """

    name: str
    type: str
    bodies: tuple[str, str]
    frames: tuple[Frame, Frame]
    axis: FloatArray = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    second: FloatArray | None = None
    limits: tuple[float, float] | None = None
    viscous: float = 0.0
    coulomb: float = 0.0
    inertia: float = 0.0
    start: float = 0.0
    offset: float = 0.0


@dataclass(frozen=True)
class Draft:
    """What a file says.

    Attributes
    ----------
    links : tuple of Link
    joints : tuple of DraftJoint
    gravity : ndarray, shape (3,), or None
    driven : tuple of str
        Joints that have an actuator; empty where the file says none.
    notes : tuple of str
        What was taken otherwise than the file has it.
    """

    links: tuple[Link, ...]
    joints: tuple[DraftJoint, ...]
    gravity: FloatArray | None = None
    driven: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


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
    notes = list(draft.notes)
    if asked:
        document = _document(draft, name, [joints[one] for one in asked])
        Mechanism.from_document(document, source)
    else:
        document, chosen = _choose_drives(draft, name, source, [joints[one] for one in singles])
        notes.append(f"driven are {', '.join(chosen)}: the file says of none; --drives NAME,... names others")
    return _text(document, source, draft, bool(asked)), notes


def _choose_drives(
    draft: Draft, name: str, source: str, singles: list[DraftJoint]
) -> tuple[dict[str, Any], list[str]]:
    """Return the document with the fewest drives that move the machine, next to the ground first."""
    singles = sorted(singles, key=lambda joint: GROUND not in joint.bodies)
    problem: MachineError | None = None
    for count in range(1, min(len(singles), MOST_DRIVES) + 1):
        document = _document(draft, name, singles[:count])
        try:
            Mechanism.from_document(document, source)
        except MachineError as error:
            problem = error
            continue
        return document, [joint.name for joint in singles[:count]]
    raise SettingsError(
        f"{source}: no {'joint can be driven' if problem is None else f'choice of drives was found ({problem})'}; "
        "--drives NAME,... says which joints are driven"
    )


def _document(draft: Draft, name: str, driven: list[DraftJoint]) -> dict[str, Any]:
    document: dict[str, Any] = {"schema": "1", "kind": "mechanism", "name": name}
    if draft.gravity is not None:
        document["gravity"] = _texts(draft.gravity)
    document["bodies"] = {link.name: _body(link) for link in draft.links}
    passive = {joint.name for joint in draft.joints} - {joint.name for joint in driven}
    document["joints"] = {joint.name: _joint(joint, joint.name in passive) for joint in draft.joints}
    document["drives"] = {f"q_{joint.name}": _drive(joint) for joint in driven}
    home = {f"q_{joint.name}": _text_of(joint.start + joint.offset) for joint in driven}
    document["home"] = {"drives": home, "guess": dict(_guesses(draft.joints))}
    document["friction"] = {
        "viscous": _texts([joint.viscous for joint in driven]),
        "coulomb": _texts([joint.coulomb for joint in driven]),
    }
    return document


def _body(link: Link) -> dict[str, Any]:
    if not link.mass > 0.0:
        return {KNOWN: "guessed", "mass": "0"}
    known = {KNOWN: "guessed"} if link.guessed else {}
    inertia = link.inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    of_mass = {"mass": _text_of(link.mass), "center_of_mass": _texts(link.center), "inertia": _texts(inertia)}
    return known | of_mass


def _joint(joint: DraftJoint, passive: bool) -> dict[str, Any]:
    entry: dict[str, Any] = {"type": joint.type, "bodies": list(joint.bodies)}
    entry["place"] = [_texts(frame.origin) for frame in joint.frames]
    turns = [frame.rotation for frame in joint.frames]
    if joint.type == "universal" and joint.second is not None:
        entry["axis"] = [_texts(turns[0] @ joint.axis), _texts(turns[1] @ joint.second)]
        entry["reference"] = [_texts(turns[0] @ joint.second), _texts(turns[1] @ joint.axis)]
    elif joint.type in (*SINGLE, "planar", "fixed"):
        across = np.eye(3)[int(np.argmin(np.abs(joint.axis)))]
        entry["axis"] = [_texts(turn @ joint.axis) for turn in turns]
        entry["reference"] = [_texts(turn @ across) for turn in turns]
    if passive and joint.type != "fixed" and (joint.viscous or joint.coulomb):
        entry["friction"] = {"viscous": _text_of(joint.viscous), "coulomb": _text_of(joint.coulomb)}
    return entry


def _drive(joint: DraftJoint) -> dict[str, Any]:
    entry: dict[str, Any] = {"joint": joint.name}
    if joint.offset:
        entry = {"sum": {joint.name: "1"}, "offset": _text_of(joint.offset)}
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
        if joint.type == "spherical":
            turn = vector_from_matrix(joint.frames[0].rotation @ joint.frames[1].rotation.T)
            yield joint.name, _texts(turn)


def _text(document: dict[str, Any], source: str, draft: Draft, told: bool) -> str:
    guessed = {
        "friction": f"{GUESSED} where it is 0: what the file does not say; found by pkm identify",
        "home": "as the file stands",
    }
    if not told:
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
    return repr(float(value)) if abs(value) > _NOTHING else "0"
