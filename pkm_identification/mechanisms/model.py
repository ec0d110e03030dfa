"""The contract between mechanisms and everything that does not care which mechanism it is.

A linear estimator needs a basis, the names of the outputs, and a regressor; a simulation needs actuators. What is not
linear in its parameters (lengths of a pendulum) goes to `gauss_newton` or the general unscented filter instead.
"""

from __future__ import annotations

from typing import Protocol, TypeVar, runtime_checkable

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.basis import Basis

Motion = TypeVar("Motion", contravariant=True)


@runtime_checkable
class LinearModel(Protocol[Motion]):
    """A mechanism whose outputs are linear in its dynamic parameters: all that a linear estimator needs of it.

    `Motion` is the mechanism's own batch of N motion samples.
    """

    @property
    def basis(self) -> Basis:
        """What the outputs are linear in, B entries."""

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the m outputs: six struts, three sliders, five axes."""

    def regressor(self, motion: Motion, mapping: FloatArray) -> FloatArray:
        """Outputs per unit of each parameter.

        Parameters
        ----------
        motion : Motion
        mapping : ndarray, shape (B, P)
            How the parameters build up the basis.

        Returns
        -------
        ndarray, shape (N, m, P)
            SI units.
        """


@runtime_checkable
class Actuator(Protocol):
    """What turns a command into force along one driven coordinate.

    Shapes are those of one instant; x (m or rad) and v are the driven coordinate and its rate.
    """

    @property
    def state_dim(self) -> int:
        """Numbers in its state; 0 for one that follows at once."""

    def equilibrium(self, force: float) -> tuple[FloatArray, float]:
        """State (state_dim,) and command that hold a constant force (N or N m) at rest."""

    def derivative(self, state: FloatArray, command: float, x: float, v: float) -> FloatArray:
        """Rate of change (state_dim,) of the state."""

    def measured(self, state: FloatArray) -> FloatArray:
        """What its sensors report of the state: pressures, current, valve position."""
