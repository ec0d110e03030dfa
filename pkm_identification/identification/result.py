# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The result of an identification of any machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pkm_identification.errors import Unidentifiable
from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.identifiability import IDENTIFIABLE, UNIDENTIFIABLE
from pkm_identification.estimation.posterior.answer import Answer, FoundModel
from pkm_identification.estimation.trace import EstimateTrace
from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Kind
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior

from .diagnosis.findings import Diagnosis
from .settings import FULL, Settings
from .validation import Validation

# Standard deviations up to which a value is not distinguished from zero: of a dozen coefficients without friction
# one lies beyond by chance in 3 % of the logs.
NEAR = 3.0


def near_zero(parameters: ParameterSet, estimate: ParameterEstimate) -> tuple[str, ...]:
    """Return names of what is identified and not distinguishable from zero: friction, and effects that zero is none of.

    A frictionless strut's estimate is as often negative as positive: that is no sign of a wrong model.

    Parameters
    ----------
    parameters : ParameterSet
        Those estimated.
    estimate : ParameterEstimate
        An estimate of other parameters has none.
    """
    if estimate.names != parameters.names:
        return ()
    return tuple(
        entry.name
        for entry, value, std, status in zip(
            parameters.entries, estimate.values, estimate.std, estimate.status, strict=True
        )
        if (entry.kind.friction or (entry.kind is Kind.EFFECT and entry.nominal == 0.0))
        and status == IDENTIFIABLE
        and abs(value) <= NEAR * std
    )


@dataclass(frozen=True)
class Identification:
    """A finished identification of a machine of n drives.

    Attributes
    ----------
    machine : Machine
        As its file has it.
    settings : Settings
    parameters : ParameterSet
        Those that are estimated, P: after what is fixed and tied, with what is estimated as well.
    estimate : ParameterEstimate
        With its statuses; in doubt where the model does not fit.
    samples : int
        Samples that entered the equations' filters.
    dropped : dict of str to int
        Samples not used, by reason.
    residual_rms : ndarray, shape (m,)
        Root mean square of the residual in the band, N or N m; one force a drive, or one along the path for the energy
        model.
    converged : bool
        Whether the estimator converged; values of one that did not must not be used.
    warnings : tuple of str
    trace : EstimateTrace
        Estimates over time (of the recursive estimators).
    validation : Validation or None
        Of the end of each log by an estimate from the other samples, or of another log; see `Validation.what`.
    delay : float
        Delay of the causal filter in s; 0 offline.
    notes : tuple of str
        What the estimate rests on in addition to the equations of motion and the prior, a sentence each.
    nonconvergence : str
        What had not converged when the estimate did not, in words.
    fit : Diagnosis or None
        Whether the model fits, with the noise floor of each drive, and why not; None where nobody asked, or the logs
        are too short to tell.
    tolerance_changes : ndarray, shape (K, P), or None
        What each quantity that the machine file knows to a tolerance, off by it, does to the estimate, SI units: it is
        in the covariance, and the same error in every log of the machine. None: no tolerances.
    contradiction : str
        How far the estimate is from any rigid body, in words, where that is beyond chance; everything is then in doubt.
    also : tuple of str
        What was estimated as well, as it was asked for.
    answer : Answer or None
        Values with total deviations and a verdict, by the full model; None where it was not asked for.
    found : FoundModel or None
        All that the full model found, to predict other logs with; None of estimates that were saved.
    """

    machine: Machine
    settings: Settings
    parameters: ParameterSet
    estimate: ParameterEstimate
    samples: int
    dropped: dict[str, int]
    residual_rms: FloatArray
    converged: bool
    warnings: tuple[str, ...] = ()
    trace: EstimateTrace = field(default_factory=EstimateTrace)
    validation: Validation | None = None
    delay: float = 0.0
    notes: tuple[str, ...] = ()
    nonconvergence: str = ""
    fit: Diagnosis | None = None
    tolerance_changes: FloatArray | None = None
    contradiction: str = ""
    also: tuple[str, ...] = ()
    answer: Answer | None = None
    found: FoundModel | None = field(default=None, repr=False, compare=False)

    @property
    def trusted(self) -> bool:
        """Whether the estimator converged, the model fits and some rigid body is near the values.

        Where there is an answer by the full model, its verdict decides.
        """
        if self.answer is not None:
            return self.converged and self.answer.verdict.good and not self.contradiction
        return self.converged and self.fits and not self.contradiction

    @property
    def is_full(self) -> bool:
        """Whether the estimate is a view of the full model, not a fit of few parameters."""
        return self.settings.estimator.name == FULL

    @property
    def has_full_values(self) -> bool:
        """Whether its values are the full model's: of what it was asked for, or of a causal run as of a stream."""
        estimator = self.settings.estimator
        streamed = self.settings.causal and estimator.model == "force" and estimator.takes_full_values
        return self.answer is not None and (self.is_full or streamed)

    @property
    def fits(self) -> bool:
        """Whether the model fits, as far as that is known."""
        if self.answer is not None:
            return self.answer.verdict.good
        return self.fit is None or self.fit.adequate

    @property
    def near_zero(self) -> tuple[str, ...]:
        """Names of friction coefficients and effects that are not distinguishable from zero."""
        if self.answer is not None and self.has_full_values:
            friction = {entry.name for entry in self.parameters.entries if entry.kind.friction}
            return tuple(
                one.name
                for one in self.answer.values
                if one.name in friction and abs(one.value) <= NEAR * one.std
            )
        return near_zero(self.parameters, self.estimate)

    @property
    def prior(self) -> Prior:
        """Of the parameters."""
        return Prior.of(self.parameters)

    @property
    def sums(self) -> Mapping[str, Mapping[str, float]]:
        """What base parameters stand for, by name: entries of the basis with their factors in the sum."""
        sums = self.parameters.sums
        return {name: sums[name] for name in self.parameters.names if name in sums}


def refuse_unidentifiable(estimate: ParameterEstimate, source: str) -> None:
    """Raise Unidentifiable when nothing but the prior is left."""
    if set(estimate.status) == {UNIDENTIFIABLE}:
        raise Unidentifiable(
            f"{source}: no parameter is identifiable from this motion, not even a combination "
            f"({', '.join(estimate.names)}): the machine must move, or more be estimated at once"
        )
