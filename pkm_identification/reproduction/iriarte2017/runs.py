# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The text's suspension and our known-answer four-bars by the routes that the text compares, and by fractions."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from pkm_identification.mechanisms.multibody.analysis.routes import Routes, find_base_parameters
from pkm_identification.mechanisms.multibody.analysis.subject import Subject
from pkm_identification.mechanisms.multibody.analysis.symbolic.geometry import body_names
from pkm_identification.mechanisms.multibody.analysis.symbolic.graph import GROUND_BODY
from pkm_identification.mechanisms.multibody.description.reader import parse_text
from pkm_identification.mechanisms.multibody.mechanism import Mechanism, builtin_mechanisms

OUT = ("m_coupler", "J_coupler")
LOW = "four-bar-low-mobility"
DIGITS = (60, 120)
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
    """

    suspension: Routes
    precise: Routes | None
    four_bar: Routes
    low: Routes
    nearer: Routes

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
    return BaseParameterStudy(
        Routes(suspension, double=base.double, symbolic=symbolic, exact=exact),
        find_base_parameters(suspension, "precise", DIGITS) if many_digits else None,
        find_base_parameters(Subject.load("four-bar"), "all", wanted_out=OUT),
        find_base_parameters(Subject.load(LOW), "all", wanted_out=OUT),
        find_base_parameters(_compute_nearer(), "all", wanted_out=OUT),
    )


def _compute_nearer() -> Subject:
    document = parse_text(builtin_mechanisms()[LOW])
    document["constants"].update(l2="0.80001", l3="0.30001")
    return Subject.of_mechanism(Mechanism.from_document(document))
