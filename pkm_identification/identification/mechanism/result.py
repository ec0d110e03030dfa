# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What an identification of a mechanism found: values, whether they can be trusted, and forces that they predict."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.problem import Fit, Problem
from pkm_identification.mechanisms.multibody.base_set import BaseSet
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.numerics.arrays import FloatArray

from ..diagnosis.diagnose import STANDS_OUT, STRUT_STANDS_OUT
from ..near_zero import near_zero
from ..settings import Settings
from .misfit import Cause, Exchange


@dataclass(frozen=True)
class Prediction:
    """Forces that were not used for an estimate, predicted by it.

    Attributes
    ----------
    time : ndarray, shape (K,)
        s.
    measured, predicted, by_file : ndarray, shape (K, n)
        N or N m, in the estimation band; the last by the file's values.
    what : str
        What was predicted, in words.
    part : bool
        Whether an estimate from the rest of the same logs predicted it.
    """

    time: FloatArray
    measured: FloatArray
    predicted: FloatArray
    by_file: FloatArray
    what: str
    part: bool

    @property
    def missed(self) -> FloatArray:
        """rms of measured less predicted force over that of the force, (n,)."""
        return _relative(self.measured - self.predicted, self.measured)

    @property
    def missed_by_file(self) -> FloatArray:
        """The same of the file's values."""
        return _relative(self.measured - self.by_file, self.measured)

    @property
    def total(self) -> tuple[float, float]:
        """Both over all drives."""
        return tuple(  # type: ignore[return-value]
            float(np.sqrt(np.mean((self.measured - part) ** 2) / np.mean(self.measured**2)))
            for part in (self.predicted, self.by_file)
        )


@dataclass(frozen=True)
class MechanismIdentification:
    """What was found.

    Attributes
    ----------
    mechanism : Mechanism
    settings : Settings
    base : BaseSet
        What the base parameters are sums of.
    problem : Problem
    fit : Fit
    estimate : ParameterEstimate
        With its statuses; in doubt where the model does not fit.
    prediction : Prediction or None
        Of another log, or of the end of each log by an estimate from the rest; None of logs too short for it.
    floor : ndarray, shape (n,), or None
        Standard deviation of the residuals that noise alone would leave, in N or N m; None of logs too short for it.
    residual : ndarray, shape (n,)
        rms of the residual in the band.
    nonconvergence : str
        What has not converged, in words; empty when all has.
    causes : tuple of Cause, or Exchange
        What explains the misfit of a model that does not fit; empty where nothing of `misfit` does.
    dropped : dict of str to int
        What was left out of the logs, by reason.
    also : tuple of str
        What was estimated besides, as it was asked for.
    """

    mechanism: Mechanism
    settings: Settings
    base: BaseSet
    problem: Problem
    fit: Fit
    estimate: ParameterEstimate
    prediction: Prediction | None
    floor: FloatArray | None
    residual: FloatArray
    nonconvergence: str
    causes: tuple[Cause, ...] | Exchange = ()
    dropped: dict[str, int] = field(default_factory=dict)
    also: tuple[str, ...] = ()

    @property
    def converged(self) -> bool:
        """Whether the estimator converged; values of one that did not must not be used."""
        return not self.nonconvergence

    @property
    def ratio(self) -> FloatArray | None:
        """Residual over noise floor by drive, (n,)."""
        return None if self.floor is None else self.residual / self.floor

    @property
    def total_ratio(self) -> float | None:
        """Residual over noise floor of all drives."""
        ratio = self.ratio
        return None if ratio is None else float(np.sqrt(np.mean(ratio**2)))

    @property
    def fits(self) -> bool:
        """Whether what is left is no more than noise leaves."""
        return self.floor is None or fits(self.residual / self.floor)

    @property
    def trusted(self) -> bool:
        """Whether the estimator converged and the model fits."""
        return self.converged and self.fits

    @property
    def near_zero(self) -> tuple[str, ...]:
        """Names of friction coefficients that are not distinguishable from zero."""
        return near_zero(self.problem.parameters, self.estimate)


def fits(ratio: FloatArray) -> bool:
    """Whether residuals over noise floor by drive, (n,), are no more than noise leaves."""
    return float(np.sqrt(np.mean(ratio**2))) <= STANDS_OUT and bool(np.all(ratio <= STRUT_STANDS_OUT))


def _relative(error: FloatArray, force: FloatArray) -> FloatArray:
    return np.asarray(np.sqrt(np.mean(error**2, axis=0) / np.maximum(np.mean(force**2, axis=0), 1e-300)))
