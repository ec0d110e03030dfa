# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The last good state of an online estimator, to go back to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pkm_identification.identification.online.online_estimator import EstimatorState

if TYPE_CHECKING:
    from pkm_identification.identification.online.online_estimator import OnlineEstimator
    from pkm_identification.identification.saved_estimate import SavedEstimate


class EstimateKeeper:
    """Starts an estimator, watches over its state and restores it.

    Parameters
    ----------
    initial : SavedEstimate, optional
        What to start from instead of the prior.
    """

    def __init__(self, initial: SavedEstimate | None = None) -> None:
        self.initial = initial
        self._good: EstimatorState | None = None

    @property
    def source(self) -> str:
        """Where the initial estimate is from."""
        return "nominal" if self.initial is None else self.initial.source

    def begin(self, estimator: OnlineEstimator) -> None:
        """Start an estimator that knows the prior only."""
        saved = self.initial
        self._good = (
            None if saved is None else EstimatorState(saved.mean, saved.covariance, saved.count, saved.time)
        )
        self.hand_over(estimator)

    def hand_over(self, estimator: OnlineEstimator) -> None:
        """Let an estimator go on from the last good state."""
        if self._good is not None:
            estimator.resume(self._good)

    def look_after(self, estimator: OnlineEstimator) -> str | None:
        """Remember the state if it is good; else go back to the last that was, and say so."""
        state = estimator.state
        if state.usable:
            if state.count:
                self._good = state
            return None
        estimator.resume(self._good)
        return (
            "the covariance of the estimate was not finite and positive: "
            f"went back to the state after {estimator.count} equations"
        )
