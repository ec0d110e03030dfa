# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""A first machine file from a file of another program, by its ending and its first element."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from pkm_identification.errors import DocumentError, SettingsError

from .from_sdf import read_sdf
from .from_urdf import read_urdf
from .graph import Draft, write_file

MOST_BYTES = 16 * 2**20


def draft_from_file(path: str | Path, name: str, drives: Sequence[str] = ()) -> tuple[str, list[str]]:
    """Return the text of a first machine file from a URDF, SDF or MJCF file, and what a person should look at.

    Raises
    ------
    DocumentError
        If the file cannot be read or is none of them.
    SettingsError, MachineError
        As `graph.write_file`.
    """
    draft = read_draft(path)
    taken = [link.name for link in draft.links]
    twice = {one for one in taken if taken.count(one) > 1}
    if twice:
        raise DocumentError(f"{path}: has two bodies named '{min(twice)}'")
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
