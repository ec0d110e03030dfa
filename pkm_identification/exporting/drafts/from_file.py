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

from .closing import close_loops
from .from_sdf import read_sdf
from .from_urdf import read_urdf
from .graph import Draft, Link
from .hexapod_file import NoHexapodError, is_like_hexapod, write_hexapod
from .mechanism_file import write_file
from .simplify import (
    count_joints_from_ground,
    drop_placeholders,
    join_fixed_bodies,
    join_hinges,
    stop_idle_spin,
)

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
        LINK:LINK or LINK:LINK:TYPE, loops that the file leaves open; see `closing.close_loops`.
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
    for body in bodies:
        if body.name not in known:
            raise SettingsError(
                f"--mass-properties: '{body.name}' is no body of {path}{did_you_mean(body.name, known)}"
            )
        known[body.name] = body
    draft = replace(draft, links=tuple(known.values()))
    draft = join_fixed_bodies(drop_placeholders(close_loops(draft, closures)))
    depth = count_joints_from_ground(draft)
    loose = [link.name for link in draft.links if link.name not in depth]
    if loose:
        raise DocumentError(
            f"{path}: {', '.join(loose)}: no joint or constraint connects it with the ground, on which a machine stands"
        )
    driven = tuple(drives) or draft.driven
    draft = stop_idle_spin(join_hinges(draft, driven))
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
