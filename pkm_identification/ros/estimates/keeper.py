"""The last good state of an online estimator, to go back to."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pkm_identification.numerics.arrays import FloatArray

from ..messages.convert import finite

if TYPE_CHECKING:
    from pkm_identification.estimation.filters.recursive import RecursiveEstimator
    from pkm_identification.identification.saved_estimate import SavedEstimate


class State(NamedTuple):
    """What an estimation can go on from: means (P,) and covariance (P, P) in SI units, equations, newest stamp in s."""

    mean: FloatArray
    covariance: FloatArray
    count: int
    time: float


class EstimateKeeper:
    """Starts an estimator, watches over its state and restores it.

    Parameters
    ----------
    initial : SavedEstimate, optional
        What to start from instead of the prior.
    """

    def __init__(self, initial: SavedEstimate | None = None) -> None:
        self.initial = initial
        self._good: State | None = None

    @property
    def source(self) -> str:
        """Where the initial estimate is from."""
        return "nominal" if self.initial is None else self.initial.source

    def begin(self, recursive: RecursiveEstimator) -> None:
        """Start an estimator that knows the prior only."""
        saved = self.initial
        self._good = None if saved is None else State(saved.mean, saved.covariance, saved.count, saved.time)
        self.hand_over(recursive)

    def hand_over(self, recursive: RecursiveEstimator) -> None:
        """Let an estimator go on from the last good state."""
        if self._good is not None:
            recursive.resume(*self._good)

    def look_after(self, recursive: RecursiveEstimator) -> str | None:
        """Remember the state if it is good; else go back to the last that was, and say so."""
        mean, covariance = recursive.filter.mean, recursive.filter.covariance
        if finite(mean, covariance) and covariance.diagonal().min() > 0.0:
            if recursive.filter.count:
                self._good = State(mean, covariance, recursive.filter.count, recursive.time)
            return None
        recursive.reset()
        self.hand_over(recursive)
        return (
            "the covariance of the estimate was not finite and positive: "
            f"went back to the state after {recursive.filter.count} equations"
        )
