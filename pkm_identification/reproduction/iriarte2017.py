# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Base parameters of low-mobility mechanisms: double precision, many digits, rules, fractions (Iriarte et al. 2017)."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.estimation.identifiability.precise import PreciseBaseParameters
from pkm_identification.mechanisms.multibody.analysis.routes import (
    DoubleRoute,
    Route,
    Routes,
    find_base_parameters,
)
from pkm_identification.mechanisms.multibody.analysis.subject import Subject
from pkm_identification.mechanisms.multibody.analysis.symbolic.geometry import body_names
from pkm_identification.mechanisms.multibody.analysis.symbolic.graph import GROUND_BODY
from pkm_identification.mechanisms.multibody.description.reader import parse_text
from pkm_identification.mechanisms.multibody.mechanism import Mechanism, builtin_mechanisms
from pkm_identification.report.figures.style import STRUT_COLORS, apply_style
from pkm_identification.reproduction.study_file import read_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OUT = ("m_coupler", "J_coupler")
LOW = "four-bar-low-mobility"
DIGITS = (60, 120)
WRONG = 0.1  # a coefficient off by that is another one
STEPS_S = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3600.0)  # to which a run time is rounded up
# Bodies as the text numbers them.
NUMBERS = {
    name: number
    for number, name in enumerate(
        ("ground", "lower_arm", "upper_arm", "hub", "tie_rod", "wheel", "damper_body", "damper_rod")
    )
}


@dataclass(frozen=True)
class BaseParameterStudy:
    """What was computed.

    Attributes
    ----------
    suspension : Routes
    precise : Routes or None
        The suspension in many digits; None in the short form.
    four_bar, low, nearer : Routes
        The known-answer four-bar, the one of low mobility, and one nearer to a parallelogram.
    seconds : float
        Of one processor, in which the suspension was done in many digits.
    """

    suspension: Routes
    precise: Routes | None
    four_bar: Routes
    low: Routes
    nearer: Routes
    seconds: float = 0.0

    @property
    def values(self) -> dict[str, Any]:
        """What is compared, by its name in the study's file."""
        symbolic, exact, double = self.suspension.symbolic, self.suspension.exact, self.suspension.double
        four_bar = self.four_bar.precise
        assert symbolic is not None
        assert exact is not None
        assert double is not None
        assert four_bar is not None
        data, base = read_file(__name__)["data"], symbolic.base
        transfers = {f"{a}-{b}": count for (a, b), count in sorted(self.transferred.items())}
        same, (low, nearer) = (
            self.same_as_rules,
            (_name_routes("low", self.low), _name_routes("nearer", self.nearer)),
        )
        return {
            "parameters": len(base.names),
            "vanish": len(base.vanishing),
            "transfer": len(base.transferred),
            "symbolic": base.rank,
            "how": base.how,
            "vanishing_listed": ", ".join(f"{n} on body {b}" for b, n in sorted(self.vanishing.items())),
            "transfers_listed": ", ".join(f"{pair}: {n}" for pair, n in transfers.items()),
            "same_vanishing": _compare_counts(self.vanishing, data["vanishing"]),
            "same_transfers": _compare_counts(transfers, data["transfers"]),
            "double": double.rank,
            "numpy": double.spectrum.rank,
            "sure": "clear" if double.sure else "in doubt and said so",
            "no_ridge": [not double.sure],
            "exact": exact.rank,
            **self._name_digits(),
            "digits_used": " and ".join(map(str, DIGITS)),
            "seconds": next(one for one in STEPS_S if one >= min(self.seconds, STEPS_S[-1])),
            **low,
            **nearer,
            "spurious": [2 * one["_spurious"] > one["_zeros"] for one in map(_strip, (low, nearer))],
            "out_of_range": [nearer["nearer_error"] > WRONG],
            "same_as_rules": same,
            "coefficients": len(same),
            "same": sum(same),
            "kept": four_bar.base.kept,
            "null": four_bar.base.null,
        }

    def _name_digits(self) -> dict[str, Any]:
        if self.precise is None or self.precise.precise is None:
            return {"precise": float("nan"), "digits_listed": "left out of the short form"}
        base = self.precise.precise.base
        listed = (
            f"{base.kept} kept, {base.null} null, {base.undecided} undecided at {DIGITS[0]} and {DIGITS[1]}"
        )
        return {"precise": base.kept, "digits_listed": listed}

    @property
    def vanishing(self) -> dict[int, int]:
        """Parameters that vanish, by the text's number of the body."""
        return dict(Counter(giver for giver, taker in self._steps if taker is None))

    @property
    def transferred(self) -> dict[tuple[int, int], int]:
        """Parameters that are transferred, by the text's numbers of the two bodies, the smaller first."""
        return dict(Counter((min(g, t), max(g, t)) for g, t in self._steps if t is not None))

    @property
    def _steps(self) -> list[tuple[int, int | None]]:
        symbolic, mechanism = self.suspension.symbolic, self.suspension.subject.mechanism
        assert symbolic is not None
        assert mechanism is not None
        number = [NUMBERS[name] for name in body_names(mechanism.description)]
        return [
            (number[one.step.giver], None if one.vanishes else number[one.step.taker or GROUND_BODY])
            for one in symbolic.base.applied
        ]

    @property
    def same_as_rules(self) -> list[bool]:
        """Of each coefficient of the four-bar: whether many digits have that of the rules."""
        symbolic, precise = self.four_bar.symbolic, self.four_bar.precise
        assert symbolic is not None
        assert precise is not None
        own, other = symbolic.base.elimination, precise.base.elimination
        assert np.array_equal(own.given_up, other.given_up)
        pairs = zip(own.coefficients.ravel(), other.coefficients.ravel(), strict=True)
        return [
            bool(abs(value * one.denominator - one.numerator) < 1e-30 * one.denominator)
            for one, value in pairs
        ]


def run_study(many_digits: bool = True) -> BaseParameterStudy:
    """Return the study; without `many_digits` the suspension is left to the other routes, which takes seconds."""
    suspension = Subject.load("suspension")
    base = find_base_parameters(suspension, "double")
    symbolic = find_base_parameters(suspension, "symbolic").symbolic
    exact = find_base_parameters(suspension, "exact").exact
    started = time.process_time()
    precise = find_base_parameters(suspension, "precise", DIGITS) if many_digits else None
    seconds = time.process_time() - started
    return BaseParameterStudy(
        Routes(suspension, double=base.double, symbolic=symbolic, exact=exact),
        precise,
        find_base_parameters(Subject.load("four-bar"), "all", wanted_out=OUT),
        find_base_parameters(Subject.load(LOW), "all", wanted_out=OUT),
        find_base_parameters(_compute_nearer(), "all", wanted_out=OUT),
        seconds,
    )


def _name_routes(name: str, routes: Routes) -> dict[str, Any]:
    """Return what is compared of a four-bar, under names that begin with its own."""
    double, precise, exact, forced = routes.double, routes.precise, routes.exact, routes.forced
    assert double is not None
    assert precise is not None
    assert exact is not None
    assert forced is not None
    return {
        f"{name}_doubt": [not double.sure],
        f"{name}_numpy": double.spectrum.rank,
        f"{name}_precise": precise.rank,
        f"{name}_exact": exact.rank,
        f"{name}_error": forced.error,
        f"{name}_spurious": forced.spurious,
        f"{name}_zeros": forced.zeros,
    }


def _strip(named: dict[str, Any]) -> dict[str, Any]:
    """Return the same without the four-bar's name."""
    return {"_" + key.partition("_")[2]: one for key, one in named.items()}


def _compare_counts(ours: dict[Any, int], printed: dict[Any, int]) -> list[bool]:
    """Return of each key of either whether its counts are the same."""
    return [ours.get(key) == printed.get(key) for key in sorted({*ours, *printed})]


def _compute_nearer() -> Subject:
    document = parse_text(builtin_mechanisms()[LOW])
    document["constants"].update(l2="0.80001", l3="0.30001")
    return Subject.of_mechanism(Mechanism.from_document(document))


_NOTHING = (1e-130, 1e-66)  # below rounding in 120 and in 60 digits; zeros are drawn here


@apply_style
def draw_spectra_figure(study: BaseParameterStudy) -> Figure:
    """Return the suspension's and the low-mobility four-bar's, with the tolerance below which NumPy gives values up."""
    figure = Figure(figsize=(9, 4.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    _draw_spectrum(
        left, study.suspension.double, study.precise.precise if study.precise else None, 41, _NOTHING[0]
    )
    _draw_spectrum(right, study.low.double, study.low.precise, 8, _NOTHING[1])
    left.set_title("suspension")
    right.set_title("four-bar of low mobility")
    left.set_ylabel("singular value over the largest (lowest dots: zero)")
    for axes in (left, right):
        axes.legend(loc="lower left")
    figure.suptitle("Where the ridge is", x=0.01, ha="left")
    return figure


def _draw_spectrum(
    axes: Axes,
    double: DoubleRoute | None,
    precise: Route[PreciseBaseParameters] | None,
    rank: int,
    nothing: float,
) -> None:
    if precise is not None:
        largest = precise.base.singular_values[0]
        values = [float(value / largest) for value in precise.base.singular_values]
        _draw_dots(axes, values, "o", 0, f"{precise.base.digits[1]} digits", nothing)
    if double is not None:
        spectrum = double.spectrum
        values = list(spectrum.singular_values / spectrum.singular_values[0])
        _draw_dots(axes, values, "x", 1, "double", nothing)
        tolerance = spectrum.tolerance / spectrum.singular_values[0]
        axes.axhline(
            tolerance,
            color=STRUT_COLORS[1],
            linestyle="--",
            lw=1.0,
            label=f"NumPy's tolerance: rank {spectrum.rank}",
        )
    axes.axvline(rank + 0.5, color="#555555", lw=0.8)
    axes.text(rank + 0.5, 1.0, f" {rank}", ha="left", va="top", color="#555555")
    axes.set_xlabel("number")


def _draw_dots(axes: Axes, values: list[float], marker: str, color: int, label: str, nothing: float) -> None:
    places = range(1, len(values) + 1)
    shown = np.maximum(values, nothing)
    axes.semilogy(places, shown, marker, ms=3.5, color=STRUT_COLORS[color], label=label)
