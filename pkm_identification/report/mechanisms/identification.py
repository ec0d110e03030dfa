"""What was identified of a mechanism that is no hexapod, as text, as a document and as a page."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from pkm_identification import __version__
from pkm_identification.errors import OutputError
from pkm_identification.estimation.identifiability import COMBINATION, IDENTIFIABLE, IN_DOUBT
from pkm_identification.identification.estimate_file import SCHEMA, parameter_entries
from pkm_identification.identification.mechanism.identify import MechanismIdentification, Prediction
from pkm_identification.numerics.finite import finite_or_none
from pkm_identification.records.atomic import replacing, write_text

from ..earlier import GENERATOR, PAGE, check_folder
from ..listing import Listing, number
from ..page.frame import framed
from ..page.parameter_rows import key, parameter_rows
from ..sentences import NOTHING_HELD_OUT, PREDICTED, listed
from ..tables import estimate_table

ESTIMATE, FORCES = "estimate.json", "forces.png"


def identification_text(
    found: MechanismIdentification, shown: Callable[[bool, str], str] = lambda good, text: text
) -> str:
    """Tables and sentences, for a person; `shown` as of a hexapod's `summary`."""
    estimate, stated = found.estimate, found.settings.estimator.assumptions.described()
    head = f"{found.mechanism.name}: {estimate.estimator}, {found.problem.samples} samples"
    blocks = [
        head + (f"\nstated beforehand: {stated}" if stated else ""),
        str(estimate_table(estimate, near_zero=found.near_zero)),
    ]
    if summed := int(np.sum(np.count_nonzero(found.base.sums, axis=1) > 1)):
        blocks.append(
            f"Base parameters: {summed} of the values are of sums of parameters, each called by one of them; "
            "--json has the sums (base)."
        )
    if found.prediction is not None:
        blocks.append(str(prediction_table(found, found.prediction)))
    blocks.append("\n".join(shown(good, text) for good, text in _verdicts(found)))
    return "\n\n".join(blocks)


def misfit(found: MechanismIdentification) -> str:
    """Why the model does not fit, one line; empty where it does."""
    ratio = found.ratio
    if found.fits or ratio is None:
        return ""
    worst = int(np.argmax(ratio))
    return (
        f"the model does not fit: residual {number(found.total_ratio, 3)} times the noise floor, most of "
        f"{found.mechanism.force_names[worst]} ({number(float(ratio[worst]), 3)} times); "
        "does the file say what the drives are?"
    )


def prediction_table(found: MechanismIdentification, held: Prediction) -> Listing:
    """How well forces that were not used are predicted, drive by drive."""
    drives = found.mechanism.description.drives
    rms = np.sqrt(np.mean(held.measured**2, axis=0))
    rows = [
        (
            drive.force, "N m" if drive.measure.unit == "rad" else "N", number(float(rms[k]), 4),
            number(100 * float(held.missed[k]), 3), number(100 * float(held.missed_by_file[k]), 3),
        )
        for k, drive in enumerate(drives)
    ]  # fmt: skip
    header = ("force", "unit", "rms", "error %", "file's error %")
    return Listing(header, tuple(rows), frozenset(header[2:]))


def identification_document(
    found: MechanismIdentification, origin: dict[str, Any] | None = None
) -> dict[str, Any]:
    """For programs; as estimate.json of a hexapod, with `drives` in the place of struts.

    `value` is None where the logs do not show a parameter alone; `base` names the parameters each base parameter is a
    sum of. Errors are in %, in the estimation band.
    """
    estimate, base = found.estimate, found.base
    entries = parameter_entries(estimate)
    entries += [
        {
            "name": one.name,
            "value": finite_or_none(one.value),
            "std": finite_or_none(one.std),
            "unit": one.unit,
            "status": COMBINATION,
            "nominal": finite_or_none(one.nominal),
        }
        for one in estimate.combinations
    ]
    return {
        "schema": SCHEMA,
        "machine": found.mechanism.name,
        "machine_hash": found.mechanism.hash,
        "estimator": estimate.estimator,
        "model": estimate.model,
        "converged": found.converged,
        "samples": int(found.problem.samples),
        "equations": int(estimate.count),
        "parameters": entries,
        "base": {
            name: {base.everything[k]: float(row[k]) for k in np.flatnonzero(row)}
            for name, row in zip(base.names, base.sums, strict=True)
        },
        "drives": list(found.mechanism.force_names),
        "validation": _held_document(found.prediction),
        "fit": {
            "adequate": found.fits,
            "ratio": None if found.total_ratio is None else finite_or_none(found.total_ratio),
            "per_drive": None if found.ratio is None else [finite_or_none(one) for one in found.ratio],
            "noise_std": None if found.floor is None else [finite_or_none(one) for one in found.floor],
        },
        "stated": found.settings.estimator.assumptions.described(),
        "near_zero": list(found.near_zero),
        "provenance": origin,
    }


def identification_page(found: MechanismIdentification, origin: dict[str, Any] | None = None) -> str:
    """One page that holds everything: sentences, parameters, what was predicted, where it comes from."""
    title = f"Identified dynamics of {found.mechanism.name}"
    lines = "".join(
        f'<li class="{"good" if good else "bad"}">{escape(text)}</li>' for good, text in _verdicts(found)
    )
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="lead">{escape(found.mechanism.description.description)}</p>',
        f"<ul>{lines}</ul>",
        "<h2>Parameters</h2>",
        parameter_rows(found.estimate, None, found.near_zero),
        key(False),
        "<p>Base parameters are called by the parameter that stands for their sum. Each row is drawn on a scale of its "
        "own; a value that is not identifiable is left out.</p>",
    ]
    held = found.prediction
    if held is not None:
        image = base64.b64encode(_forces(found, held)).decode("ascii")
        parts += [
            "<h2>Prediction of forces that were not used</h2>",
            prediction_table(found, held).html(),
            f'<figure><img alt="Forces of the drives, measured and predicted" src="data:image/png;base64,{image}">'
            f"<figcaption>{escape(held.what)}: both sides passed the same low-pass.</figcaption></figure>",
        ]
    if origin is not None:
        parts += ["<h2>Where it comes from</h2>", f"<pre>{escape(json.dumps(origin, indent=2))}</pre>"]
    parts.append(f"<footer>{GENERATOR} {escape(__version__)}</footer>")
    return framed(title, "\n".join(parts))


def write_identification(
    folder: str | Path, found: MechanismIdentification, origin: dict[str, Any] | None = None
) -> Path:
    """estimate.json, forces.png and report.html in a folder; the page's path.

    Raises
    ------
    OutputError
        If the folder or a file cannot be written, or it holds files of these names that no report wrote.
    """
    place = Path(folder)
    old = check_folder(place)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{place}: cannot be made: {error.strerror or error}") from None
    made = {place / ESTIMATE, place / PAGE}
    document = identification_document(found, origin)
    write_text(place / ESTIMATE, json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n")
    if found.prediction is not None:
        made.add(place / FORCES)
        with replacing(place / FORCES) as temporary:
            temporary.write_bytes(_forces(found, found.prediction))
    write_text(place / PAGE, identification_page(found, origin))
    for path in set(old) - made:
        path.unlink(missing_ok=True)
    return place / PAGE


def _verdicts(found: MechanismIdentification) -> list[tuple[bool, str]]:
    """In a few sentences, each with whether it is good news."""
    estimate = found.estimate
    lines = [
        (True, "The estimator converged.")
        if found.converged
        else (False, f"The estimator did not converge: do not use these values ({found.nonconvergence}).")
    ]
    count, total = estimate.status.count(IDENTIFIABLE), len(estimate.names)
    parts = [
        f"All {total} parameters are identified"
        if count == total
        else f"{count} of {total} parameters are identified"
    ]
    doubt, rest = (
        [name for name, status in zip(estimate.names, estimate.status, strict=True) if chosen(status)]
        for chosen in (lambda one: one == IN_DOUBT, lambda one: one not in (IDENTIFIABLE, IN_DOUBT))
    )
    if doubt:
        parts.append(f"{listed(doubt)} {'is' if len(doubt) == 1 else 'are'} in doubt")
    if rest:
        parts.append(f"{listed(rest)} {'is' if len(rest) == 1 else 'are'} not identifiable from this motion")
    lines.append((count == total, "; ".join(parts) + "."))
    if found.near_zero:
        lines.append((True, f"Friction not distinguishable from 0: {listed(list(found.near_zero))}."))
    lines.append(_held_sentence(found))
    if found.total_ratio is None:
        lines.append((False, "The logs are too short to tell noise from misfit."))
    elif found.fits:
        lines.append(
            (True, f"The model fits: the residual is {number(found.total_ratio, 3)} times the noise floor.")
        )
    else:
        why = misfit(found)
        lines = [(False, text) for _, text in lines] + [(False, f"{why[0].upper()}{why[1:]}")]
    return lines


def _held_sentence(found: MechanismIdentification) -> tuple[bool, str]:
    held = found.prediction
    if held is None:
        return False, NOTHING_HELD_OUT
    own, file = held.total
    good = not own > file
    if found.floor is not None:
        noise = float(np.sqrt(np.mean(found.floor**2) / np.mean(held.measured**2)))
        good = own <= PREDICTED * max(found.total_ratio or 1.0, 1.0) * noise
    subject = (
        f"Held out: forces of the {held.what} are predicted by an estimate from the rest"
        if held.part
        else f"Forces of {held.what}, which was not used, are predicted"
    )
    return good, (
        f"{subject} to {number(100 * own, 3)} % rms in the estimation band (the file's values: "
        f"{number(100 * file, 3)} %)" + ("." if good else ": the estimate does not hold for that motion.")
    )


def _held_document(held: Prediction | None) -> dict[str, Any] | None:
    if held is None:
        return None
    own, file = held.total
    return {
        "rms_percent": {
            "per_drive": [finite_or_none(100 * one) for one in held.missed],
            "total": finite_or_none(100 * own),
        },
        "nominal_percent": finite_or_none(100 * file),
        "held_out": held.what,
        "predicted_by": "an estimate from the rest" if held.part else "the estimate",
    }


def _forces(found: MechanismIdentification, held: Prediction) -> bytes:
    # matplotlib takes longer to load than the identification
    from ..figures.style import png
    from .forces_figure import drive_forces_figure

    units = ["N m" if drive.measure.unit == "rad" else "N" for drive in found.mechanism.description.drives]
    return png(drive_forces_figure(held, found.mechanism.force_names, units))
