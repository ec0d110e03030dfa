# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The report of an identification as files in a folder, or as one page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure

from pkm_identification.identification.estimate_file import write_estimate_json
from pkm_identification.identification.review.review import Review, review
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.records.atomic import replacing, write_text

from .drawings import Drawings, draw_figures
from .earlier import ESTIMATE, PAGE, prepare_folder, remove_others
from .figures.forces import draw_residual_figure, forces_figure
from .figures.friction import draw_friction_curves_figure
from .figures.machine import machine_figure
from .figures.misfit import draw_misfit_figure
from .figures.parameters import draw_convergence_figure, draw_correlation_figure, draw_estimates_figure
from .figures.style import png
from .interactive.figures import interactive_figures, packed_script
from .page import Material, html_page
from .page.material import order_values

if TYPE_CHECKING:
    from pkm_identification.identification.result import Identification

FIGURES = Drawings(
    correlation=draw_correlation_figure,
    convergence=draw_convergence_figure,
    forces=forces_figure,
    residual=draw_residual_figure,
    misfit=draw_misfit_figure,
    friction=draw_friction_curves_figure,
)


@dataclass(frozen=True)
class ReportFiles:
    """Paths of a report: estimate.json, report.html, and the figures by name."""

    estimate: Path
    page: Path
    figures: dict[str, Path]


def report_figures(
    result: Identification, truth: FloatArray | None = None, reviewed: Review | None = None
) -> dict[str, Figure]:
    """The figures there is something to show in, by name.

    Always `estimates` and `machine`; `correlation` of two parameters or more that the data show; `convergence` for a
    recursive estimator that identifies a parameter, be it in doubt; `forces` and `residual` after a validation;
    `misfit` after a diagnosis; `friction` of logs that were reviewed.
    """
    return {
        "estimates": draw_estimates_figure(result.estimate, truth),
        **draw_figures(result, truth, reviewed, FIGURES),
        "machine": machine_figure(result.machine),
    }


def write_report(
    folder: str | Path,
    result: Identification,
    truth: Mapping[str, float] | None = None,
    logs: Sequence[DriveLog] = (),
    origin: dict[str, Any] | None = None,
    page: str | Path | None = None,
) -> ReportFiles:
    """Write estimate.json, report.html and one PNG file per figure, each complete or not at all.

    Parameters
    ----------
    folder : str or Path
        Made if it is not there; files of an earlier report are replaced or removed.
    result : Identification
    truth : mapping of str to float, optional
        True values by name, where they are known (`identification.full_model.true_values`).
    logs : sequence of DriveLog, optional
        Those the estimate was made from: travel, friction curves and the next motion are theirs.
    origin : dict, optional
        Provenance (`records.provenance`).
    page : str or Path, optional
        Where the page is written as well.

    Raises
    ------
    OutputError
        If the folder or a file cannot be written, or it holds files of these names that no report wrote.
    """
    folder = Path(folder)
    old = prepare_folder(folder)
    material = _collect_material(result, truth, logs, origin)
    files = ReportFiles(
        estimate=folder / ESTIMATE,
        page=folder / PAGE,
        figures={name: folder / f"{name}.png" for name in material.images},
    )
    write_estimate_json(files.estimate, result, origin)
    for name, image in material.images.items():
        with replacing(files.figures[name]) as temporary:
            temporary.write_bytes(image)
    text = html_page(material)
    write_text(files.page, text)
    if page is not None:
        write_text(page, text)
    remove_others(old, (files.page, *files.figures.values()))
    return files


def write_page(
    path: str | Path,
    result: Identification,
    truth: Mapping[str, float] | None = None,
    logs: Sequence[DriveLog] = (),
    origin: dict[str, Any] | None = None,
) -> Path:
    """Write the page alone; see `write_report`."""
    write_text(path, html_page(_collect_material(result, truth, logs, origin)))
    return Path(path)


def _collect_material(
    result: Identification,
    truth: Mapping[str, float] | None,
    logs: Sequence[DriveLog],
    origin: dict[str, Any] | None,
) -> Material:
    reviewed = review(result, logs) if logs else None
    true = order_values(truth, result.estimate)
    images = {name: png(figure) for name, figure in report_figures(result, true, reviewed).items()}
    script = packed_script()
    interactive = {} if script is None else interactive_figures(result, true, reviewed)
    return Material(result, images, interactive, script, reviewed, truth, origin)
