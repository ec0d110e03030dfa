# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Oh 2003, chapter 5: friction and inertia in stages from three trajectories of the machine, here a simulated one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pkm_identification.motion import STRUTS
from pkm_identification.report.listing import Listing, paragraph
from pkm_identification.report.staged_tables import (
    build_cross_table,
    build_dependence_table,
    build_parameters_table,
    build_staged_document,
    build_stages_table,
)
from pkm_identification.reproduction.finding import Finding, Outcome, build_common_document, conclusions

from .data import DURATIONS, FRACTION, GUESS, TABLE_5_1, run_experiments
from .findings import findings
from .friction_findings import compute_friction_difference
from .runs import StagedStudy, run_study

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def friction_table(study: StagedStudy) -> Listing:
    """Table 5.1 next to ours, a strut a row."""
    ours, as_source = (
        compute_friction_difference(study, staged, "xy", "1-A") for staged in (study.ours, study.as_source)
    )
    rows = []
    for k, (name, source) in enumerate(TABLE_5_1.items()):
        for i in range(STRUTS):
            index = k * STRUTS + i
            value = source[i]
            rows.append(
                (
                    f"{name} {i + 1}",
                    f"{study.experiments.expected[index]:.4g}",
                    "lost" if value is None else f"{value:.2f} (S)",
                    f"{ours[index]:+.2f}",
                    f"{as_source[index]:+.2f}",
                    *(f"{runs['xy'][index]:+.2f}" for runs in study.joints.coulomb.values()),
                )
            )
    with_joints = (f"joints of {size:g} N m" for size in study.joints.coulomb)
    header = ("friction", "strut test", "source", "ours", "ours, source's processing", *with_joints)
    return Listing(header, tuple(rows), frozenset(header[1:]))


NAME = "oh2003-staged"
TITLE = "friction and inertia in stages on three trajectories (chapter 5)"
FIGURES = ("staged_stages", "staged_dependence", "staged_friction", "staged_source_figures")
SHOWN_PARAMETERS = ("m_e", "m_b", "m_p", "Ixx_p", "viscous_1", "viscous_2", "coulomb_1", "coulomb_2")


def run() -> Outcome:
    """Return the study on simulated experiments."""
    return outcome(run_study(run_experiments()))


def outcome(study: StagedStudy) -> Outcome:
    """Text, document and figures."""
    judged = findings(study)
    return Outcome(_write_text(study, judged), _build_document(study, judged), lambda: _draw_figures(study))


def _draw_figures(study: StagedStudy) -> dict[str, Figure]:
    from pkm_identification.report.figures.staged import draw_dependence_figure, draw_stages_figure

    from .figures import draw_friction_by_trajectory_figure, source_figures

    figures = (
        draw_stages_figure(study.ours, SHOWN_PARAMETERS, study.experiments.true_values),
        draw_dependence_figure(study.ours),
        draw_friction_by_trajectory_figure(study),
        source_figures(study),
    )
    return dict(zip(FIGURES, figures, strict=True))


NOTES = (
    f"The experiments are simulated: the UF machine with masses, moments and friction up to {100 * FRACTION:g} % "
    "from its file, universal base joints, encoders of 1.25 micrometres, 1 % current noise; X, Z and XY of "
    f"25.4 mm at 2 Hz for {DURATIONS['x']:g} s. The estimator has the file's values, a first guess within "
    f"{100 * GUESS:g} % of them, and the source's struts without spin. UKF with alpha 1e-3, beta 2, kappa 0.",
    "Not in the recovered text and chosen here: first variances (each parameter's own size), the noise (learned "
    "from the residual, repeated until it converges), the data's rate (one equation in 40 ms, both sides in a band "
    "of 10 Hz), and a column a strut for what smoothing does to friction at reversals. The process noise is this "
    "package's, which comes in only when parameters drift.",
    "The source's machine has spherical joints at the base and universal ones at the platform, whose hinges' direction "
    "is not in the text; its model has universal joints at the base, without spin. Friction of the joints is not in "
    "the simulated experiments; its effect on 1-A is computed apart, on exact data.",
    "staged_source_figures: Figs. 5.2-5.16 in the source's layout. Only Fig. 5.12 says which parameter it shows; three "
    "masses and the friction coefficients strut by strut are fifteen and fit it: our reading.",
    "'in a sum': identifiable only together with others; '-': not identifiable, and what the estimator holds is "
    "the first guess. Standard deviations contain what the kinematic low-pass does to the estimate.",
)


def _write_text(study: StagedStudy, judged: tuple[Finding, ...]) -> str:
    ours, truth = study.ours, study.experiments.true_values
    estimates = {name: result.estimate for name, result in ours.results.items()}
    return "\n\n".join(
        (
            f"Oh 2003: {TITLE}, and their cross-check",
            "\n".join(paragraph(note) for note in NOTES),
            "Friction in stage 1-A on XY: (expected - estimate) / expected in %\n"
            + str(friction_table(study)),
            "Stages\n" + str(build_stages_table(ours.results)),
            "Ends of stage 3; all: the three trajectories in one estimation; universal: those and a rich motion, with "
            "the joints the machine has\n"
            + str(
                build_parameters_table(
                    {**estimates, "all": ours.joint.estimate, "universal": study.universal.estimate},
                    ours.start,
                    truth,
                )
            ),
            "Cross-check: error of the forces in %, with another trajectory's result / after stage 3 from it\n"
            + str(build_cross_table(ours.cross)),
            "How far the end of stage 3 depends on its start\n"
            + str(build_dependence_table(ours.cross, ours.results, ours.trajectories.parameters.scale)),
            conclusions(judged),
        )
    )


def _build_document(study: StagedStudy, judged: tuple[Finding, ...]) -> dict[str, Any]:
    at_once = {
        kind: {
            name: {
                "values": one.values.tolist(),
                "residual_rms": one.residual_rms,
                "moving_std": one.moving,
            }
            for name, one in runs.items()
        }
        for kind, runs in (
            ("scaled", study.scaled),
            ("raw", study.raw),
            ("raw_in_stages", study.raw_staged),
        )
    }
    return {
        **build_common_document(NAME, TITLE, NOTES, judged, FIGURES),
        "true": study.experiments.true_values.tolist(),
        "strut_tests": study.experiments.expected.tolist(),
        "ranks": study.ranks,
        "ours": build_staged_document(study.ours),
        "source_processing": build_staged_document(study.as_source),
        "universal": {
            "values": study.universal.values.tolist(),
            "std": np.asarray(study.universal.estimate.std).tolist(),
            "status": list(study.universal.estimate.status),
        },
        "all_at_once": at_once,
        "joint_friction": {
            "coulomb": {
                f"{size:g}": {name: one.tolist() for name, one in runs.items()}
                for size, runs in study.joints.coulomb.items()
            },
            "viscous": {name: one.tolist() for name, one in study.joints.viscous.items()},
            "universal_at_platform": {
                kind: {name: one.tolist() for name, one in runs.items()}
                for kind, runs in study.joints.at_platform.items()
            },
            "left": study.joints.left,
        },
    }
