"""The report of an identification as files in a folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from pkm_identification import __version__
from pkm_identification.errors import OutputError
from pkm_identification.estimation.identifiability import IDENTIFIABLE
from pkm_identification.identification.estimate_file import write_estimate_json
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.records.atomic import replacing

from .figures.forces import forces_figure, residual_figure
from .figures.machine import machine_figure
from .figures.misfit import misfit_figure
from .figures.parameters import convergence_figure, estimates_figure
from .figures.style import png
from .page import html_page

if TYPE_CHECKING:
    from pkm_identification.identification.result import Identification


@dataclass(frozen=True)
class ReportFiles:
    """Paths of a report: estimate.json, report.html, and the figures by name."""

    estimate: Path
    page: Path
    figures: dict[str, Path]


def report_figures(result: Identification, truth: FloatArray | None = None) -> dict[str, Figure]:
    """The figures there is something to show in, by name.

    Always `estimates` and `machine`; `convergence` for a recursive estimator that identifies a parameter;
    `forces` and `residual` after a validation.
    """
    figures = {"estimates": estimates_figure(result.estimate, truth)}
    if len(result.trace) > 1 and IDENTIFIABLE in result.estimate.status:
        figures["convergence"] = convergence_figure(result.trace, result.estimate, truth)
    if result.validation is not None:
        figures["forces"] = forces_figure(result.validation)
        figures["residual"] = residual_figure(result.validation)
    if result.fit is not None and result.fit.residuals:
        figures["misfit"] = misfit_figure(result.fit)
    figures["machine"] = machine_figure(result.machine)
    return figures


def write_report(folder: str | Path, result: Identification, truth: FloatArray | None = None) -> ReportFiles:
    """Write estimate.json, report.html and one PNG file per figure, each complete or not at all.

    Parameters
    ----------
    folder : str or Path
        Made if it is not there; files of an earlier report are replaced.
    result : Identification
    truth : ndarray, shape (P,), optional
        True values in the order of the estimate's names, where they are known.

    Raises
    ------
    OutputError
        If the folder or a file cannot be written.
    """
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be made: {error.strerror or error}") from None
    images = {name: png(figure) for name, figure in report_figures(result, truth).items()}
    files = ReportFiles(
        estimate=folder / "estimate.json",
        page=folder / "report.html",
        figures={name: folder / f"{name}.png" for name in images},
    )
    write_estimate_json(files.estimate, result)
    for name, image in images.items():
        with replacing(files.figures[name]) as temporary:
            temporary.write_bytes(image)
    with replacing(files.page) as temporary:
        temporary.write_text(html_page(result, images, truth, __version__), encoding="utf-8")
    return files
