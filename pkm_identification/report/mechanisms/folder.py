# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The report of a mechanism's identification as files in a folder, or as one page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pkm_identification.identification.mechanism.estimate_file import write_estimate_json
from pkm_identification.identification.mechanism.result import MechanismIdentification
from pkm_identification.records.atomic import replacing, write_text

from ..earlier import ESTIMATE, PAGE, prepare_folder, remove_others
from .page import html_page

FORCES = "forces.png"


def write_report(
    folder: str | Path, result: MechanismIdentification, origin: dict[str, Any] | None = None
) -> Path:
    """estimate.json, forces.png and report.html in a folder; the page's path.

    Raises
    ------
    OutputError
        If the folder or a file cannot be written, or it holds files of these names that no report wrote.
    """
    folder = Path(folder)
    old = prepare_folder(folder)
    estimate, page, forces = folder / ESTIMATE, folder / PAGE, folder / FORCES
    write_estimate_json(estimate, result, origin)
    image = _forces(result)
    if image is not None:
        with replacing(forces) as temporary:
            temporary.write_bytes(image)
    write_text(page, html_page(result, image, origin))
    remove_others(old, [page] if image is None else [page, forces])
    return page


def write_page(
    path: str | Path, result: MechanismIdentification, origin: dict[str, Any] | None = None
) -> None:
    """Write the page alone; see `write_report`."""
    write_text(path, html_page(result, _forces(result), origin))


def _forces(result: MechanismIdentification) -> bytes | None:
    """The figure of predicted forces; None where none were predicted."""
    if result.prediction is None:
        return None
    # matplotlib takes longer to load than the identification
    from ..figures.style import png
    from .forces_figure import drive_forces_figure

    units = [drive.force_unit for drive in result.mechanism.description.drives]
    return png(drive_forces_figure(result.prediction, result.mechanism.force_names, units))
