# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A first machine file from a file of another program, by its ending and its first element."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

from pkm_identification.errors import DocumentError, SettingsError
from pkm_identification.mechanisms.multibody.description.records import GROUND
from pkm_identification.suggestion import did_you_mean

from .from_sdf import read_sdf
from .from_urdf import read_urdf
from .graph import SINGLE, Draft, DraftJoint, Frame, Link
from .hexapod_file import NoHexapodError, is_like_hexapod, write_hexapod
from .mechanism_file import write_file
from .simplify import (
    count_joints_from_ground,
    drop_placeholders,
    guess_missing_moments,
    join_fixed_bodies,
    join_hinges,
    stop_idle_spin,
)

# Names of other programs stand for ours.
TYPES = {
    "spherical": "spherical",
    "connect": "spherical",
    "3d": "spherical",
    "fixed": "fixed",
    "weld": "fixed",
    "6d": "fixed",
    "revolute": "revolute",
    "prismatic": "prismatic",
}


def close_loops(draft: Draft, closures: Sequence[str]) -> Draft:
    """Return the draft with a joint for each closure.

    Parameters
    ----------
    draft : Draft
    closures : sequence of str
        LINK:LINK, a spherical joint in both links' origins; or LINK:LINK:TYPE, one of TYPES, a revolute or prismatic
        one along both links' z.

    Raises
    ------
    SettingsError
        If a text is none, or names no link or type.
    """
    joints = list(draft.joints)
    for k, text in enumerate(closures, 1):
        parts = text.split(":")
        ends = {joint.name: (joint.bodies[1], joint.frames[1]) for joint in draft.joints}
        ends |= {link.name: (link.name, Frame()) for link in draft.links} | {GROUND: (GROUND, Frame())}
        if len(parts) not in (2, 3):
            raise SettingsError(f"--close {text}: expected LINK:LINK or LINK:LINK:TYPE")
        for link in parts[:2]:
            if link not in ends:
                raise SettingsError(f"--close {text}: '{link}' is no link{did_you_mean(link, ends)}")
        (first, frame), (second, other) = (ends[part] for part in parts[:2])
        if first == second:
            raise SettingsError(f"--close {text}: names one link twice")
        kind = parts[2] if len(parts) == 3 else "spherical"
        if kind not in TYPES:
            raise SettingsError(f"--close {text}: type '{kind}' must be one of {', '.join(TYPES)}")
        joints.append(DraftJoint(f"closed_{k}", TYPES[kind], (first, second), (frame, other)))
    return replace(draft, joints=tuple(joints))


MOST_BYTES = 16 * 2**20


def draft_from_file(
    path: str | Path,
    name: str,
    drives: Sequence[str] = (),
    closures: Sequence[str] = (),
    bodies: Sequence[Link] = (),
) -> tuple[str, list[str]]:
    """Return the text of a first machine file from a URDF, SDF or MJCF file, and what a person should look at.

    Parameters
    ----------
    path : str or Path
    name : str
        Of the machine.
    drives : sequence of str
        Joints that are driven; see `mechanism_file.write_file`.
    closures : sequence of str
        LINK:LINK or LINK:LINK:TYPE, loops that the file leaves open; see `close_loops`.
    bodies : sequence of Link
        In place of those of the file with these names.

    Raises
    ------
    DocumentError
        If the file cannot be read or is none of them.
    SettingsError, MachineError
        As `mechanism_file.write_file`, or if a closure names no link.
    """
    draft = read_draft(path)
    for what, taken in (("bodies", draft.links), ("joints", draft.joints)):
        names = [one.name for one in taken]
        twice = {one for one in names if names.count(one) > 1}
        if twice:
            raise DocumentError(f"{path}: has two {what} named '{min(twice)}'")
    known = {link.name: link for link in draft.links}
    for joint in draft.joints:
        for end in joint.bodies:
            if end not in known and end != GROUND:
                hint = did_you_mean(end, known)
                raise DocumentError(
                    f"{path}: joint '{joint.name}' is of '{end}', which is no body of it{hint}"
                )
    singles = [joint.name for joint in draft.joints if joint.type in SINGLE]
    for coupling in draft.couplings:
        for one in coupling.factors:
            if one not in singles:
                raise DocumentError(
                    f"{path}: {coupling.name}: '{one}' is no joint with one coordinate{did_you_mean(one, singles)}"
                )
    for body in bodies:
        if body.name not in known:
            raise SettingsError(
                f"--mass-properties: '{body.name}' is no body of {path}{did_you_mean(body.name, known)}"
            )
        known[body.name] = body
    draft = replace(draft, links=tuple(known.values()))
    draft = join_fixed_bodies(guess_missing_moments(drop_placeholders(close_loops(draft, closures))))
    depth = count_joints_from_ground(draft)
    loose = [link.name for link in draft.links if link.name not in depth]
    if loose:
        raise DocumentError(
            f"{path}: {', '.join(loose)}: no joint or constraint connects it with the ground, on which a machine stands"
        )
    driven = tuple(drives) or draft.driven
    draft = stop_idle_spin(join_hinges(draft, {*driven, *draft.coupled}))
    if is_like_hexapod(draft):
        try:
            text, notes = write_hexapod(draft, name, str(path), driven)
            return text, [*draft.notes, *notes]
        except NoHexapodError as error:
            draft = replace(
                draft, notes=(*draft.notes, f"written as bodies with joints, not as a hexapod: {error}")
            )
    return write_file(draft, name, str(path), drives)


def read_draft(path: str | Path) -> Draft:
    """Return what a URDF, SDF or MJCF file says of bodies and joints; raises as `draft_from_file`."""
    source = Path(path)
    try:
        content = source.read_bytes()
    except OSError as error:
        raise DocumentError(f"{path}: cannot be read: {error.strerror or error}") from None
    if len(content) > MOST_BYTES:
        raise DocumentError(f"{path}: is longer than {MOST_BYTES // 2**20} MB")
    if re.search(rb"<!(DOCTYPE|ENTITY)", content):
        raise DocumentError(f"{path}: has a document type; such files are not read")
    try:
        root = ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        raise DocumentError(f"{path}: is no XML: {error}") from None
    if root.tag == "robot":
        return read_urdf(root, str(path))
    if root.tag == "sdf":
        return read_sdf(root, str(path))
    if root.tag == "mujoco":
        # MuJoCo takes longer to load than the others to be read
        from .from_mjcf import read_mjcf

        return read_mjcf(source)
    raise SettingsError(
        f"--from {path}: begins with <{root.tag}>; expected <robot> (URDF), <sdf> or <mujoco> (MJCF)"
    )
