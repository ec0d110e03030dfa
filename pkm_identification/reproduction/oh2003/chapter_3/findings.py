"""The source's findings of chapter 3 beside ours, each verdict computed from the study."""

from __future__ import annotations

import numpy as np

from pkm_identification.mechanisms.pendulum.model import NAMES
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.reproduction.finding import Finding

from .data import ITERATIONS, LEAST_SQUARES_ITERATIONS, RATIO_NAMES, SOURCE_UKF_M, TRUE, TRUE_RATIOS
from .runs import START_STDS, STARTS, PendulumStudy

CLOSE = 0.01  # of the truth: what we take to agree


def findings(study: PendulumStudy) -> tuple[Finding, ...]:
    """The source's findings beside ours, each verdict computed."""
    return (_filter(study), _least_squares(study), _iterations(study), _noise(study))


def ratio_error(values: FloatArray) -> float:
    """Larger relative error of the two ratios of masses in %."""
    return float(np.abs(values[2:4] / values[4] / TRUE_RATIOS - 1).max() * 100)


def named(values: FloatArray, names: tuple[str, ...]) -> str:
    """Values with their names."""
    return ", ".join(f"{name} {value:.4g}" for name, value in zip(names, values, strict=True))


def row(values: FloatArray) -> str:
    """Values in two digits; what is rounding is zero."""
    top = np.abs(values).max()
    return ", ".join(f"{value if abs(value) > 1e-9 * top else 0:.2g}" for value in values)


def _lengths(values: FloatArray) -> str:
    close = bool(np.all(np.abs(values[:2] / TRUE[:2] - 1) < CLOSE))
    return "the lengths agree" if close else "the lengths do not agree"


def _masses_identifiable(study: PendulumStudy) -> bool:
    return bool(study.singular_values[-1] > 1e-9 * study.singular_values[0])


def _filter(study: PendulumStudy) -> Finding:
    ukf = study.run("ukf", "robbins_monro")
    identifiable = _masses_identifiable(study)
    masses = (
        "the masses are identifiable"
        if identifiable
        else "its masses are not identifiable from any free fall"
    )
    ends = ", ".join(f"{mass:.3g}" for mass in study.by_std)
    stds = ", ".join(f"{std:g}" for std in START_STDS)
    return Finding(
        f"Table 3.1, UKF: l1, l2, m1, m2 exact (P), M {SOURCE_UKF_M:g} kg, 0.67 % off (P): all five from a free fall.",
        f"{named(ukf.values[:2], NAMES[:2])}, {named(ukf.ratios()[0], RATIO_NAMES)}; the masses themselves "
        f"{named(ukf.values[2:], NAMES[2:])} ({_off(ukf.values)}).",
        f"{_lengths(ukf.values)}; {masses}",
        f"Singular values of d q'' / d ln w: {row(study.singular_values)}. The last direction is "
        f"({row(study.null_direction)}): all masses by one factor. No estimator can find it. Where it ends is "
        f"decided by the first guess and the tuning: with standard deviations of {stds} of the first "
        f"guess, this filter's M is {ends} kg after {min(ITERATIONS, len(study.motion))} samples.",
    )


def _least_squares(study: PendulumStudy) -> Finding:
    fit = study.run("ls", "none")
    factors = [f"{one.values[4] / fit.values[4]:.3g}" for one in study.by_start]
    return Finding(
        "Table 3.1, LS: l1 and l2 exact (G), m2 about 15 % off (G).",
        f"Gauss-Newton from ones: {named(fit.values, NAMES)}; {_off(fit.values)}.",
        f"{_lengths(fit.values)}; its masses depend on the start",
        f"Started at {', '.join(f'{start:g}' for start in STARTS)}, the masses end at {', '.join(factors)} times what "
        "they are from 1, with the same lengths and ratios. The source's step -(J'J)^-1 J'e does not exist here; ours "
        "is the shortest of those that fit as well.",
    )


def _iterations(study: PendulumStudy) -> Finding:
    fit, ukf = study.run("ls", "none"), study.run("ukf", "robbins_monro")
    early = ukf.history[:ITERATIONS][-1]
    enough = ratio_error(early) < 100 * CLOSE
    return Finding(
        f"Table 3.1: the UKF takes {ITERATIONS} iterations (68.88 s), LS {LEAST_SQUARES_ITERATIONS} (4.23 s), "
        "to 1e-7 (S).",
        f"Read as samples: after {min(ITERATIONS, len(ukf.history))} the UKF's ratios are {ratio_error(early):.2g} % "
        f"off. Gauss-Newton on all {len(study.motion)} samples takes {len(fit.history) - 1} iterations.",
        f"some 2000 samples {'suffice' if enough else 'do not suffice'}; LS cannot be compared",
        "What the source counts as an iteration of LS the recovered text does not say.",
    )


def _noise(study: PendulumStudy) -> Finding:
    fit, drift = study.run("ls", "none", noisy=True), study.run("ukf", "robbins_monro", noisy=True)
    plain = study.run("ukf", "none", noisy=True)
    _, std = fit.ratios()
    bias = np.abs(fit.ratios()[0] - TRUE_RATIOS) / std
    drifts = drift.values[4] / plain.values[4] > 2.0
    why = (
        "Noise of the measured states is inside the model, where it causes a bias: "
        f"{bias.max():.1f} standard deviations of the worse ratio."
    )
    if drifts:
        why += (
            " Robbins-Monro turns every correction into process noise; along the direction that no data identify "
            "nothing takes it away again, and the masses drift together."
        )
    return Finding(
        "Table 3.2, 1 % noise: not recoverable. Axes of figures 3.3 and 3.6 (S): l2 from 0.4 to 1.3 m, M from 1 to 2 "
        "kg, 2500 iterations.",
        f"LS: {named(fit.values[:2], NAMES[:2])}, {named(fit.ratios()[0], RATIO_NAMES)} (worse ratio "
        f"{ratio_error(fit.values):.2g} % off). UKF: ratios {ratio_error(plain.values):.2g} % off; with Robbins-Monro "
        f"{ratio_error(drift.values):.2g} %, and M = {drift.values[4]:.3g} kg at the end.",
        "no number to compare" + ("; with Robbins-Monro the masses do not converge" if drifts else ""),
        why,
    )


def _off(values: FloatArray) -> str:
    errors = 100 * (values / TRUE - 1)[2:]
    if np.ptp(errors) < 0.5:
        return f"all masses {errors.mean():+.2g} %"
    return ", ".join(f"{name} {error:+.2g} %" for name, error in zip(NAMES[2:], errors, strict=True))
