# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The machine's dynamic parameters as a stream of platform samples shows them so far, for whoever needs a model of it.

The equations of the online estimator and recursive least squares, with its watch for payloads and for friction that
changes, without what judges an estimate: whoever takes the parameters compares what comes of them with what is
measured. Without the watch a model that has learned from a load for a while fits neither the machine with it nor
without, and the estimator behind it does not see the load being set down.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.estimation.change_detection import ChangeTest
from pkm_identification.estimation.filters.recursive import RecursiveEstimator
from pkm_identification.machines.contract import Machine
from pkm_identification.motion import TrackedSample
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.signals.band import BandSettings

from ..changes.drift import FrictionDrift
from ..changes.payload import Carrier
from ..changes.payload_watch import PayloadWatch
from ..equations.equation_filter import EquationFilter
from ..equations.reversal import with_reversals
from ..regression.scales import with_machine_scales

# Equations that must show a payload: few, as belts are unwound by what was on the platform before until then, and the
# estimator behind takes twelve to judge what is left.
SOON = 3
PARAMETERS = "identifiable"  # that are estimated


class RunningModel:
    """Dynamic parameters by recursive least squares.

    Parameters
    ----------
    machine : Machine
        What is believed beforehand.
    band : BandSettings
        Of the equations.
    kinematic_cutoff : float
        Hz, of the filter the samples have passed.
    """

    def __init__(self, machine: Machine, band: BandSettings, kinematic_cutoff: float) -> None:
        chosen = with_machine_scales(machine.build_parameter_set(PARAMETERS), machine)
        parameters = with_machine_scales(with_reversals(chosen, machine), machine)
        carrier = Carrier.of(machine)
        self._stride, self._settling = band.stride, band.settling
        self._equations = EquationFilter(machine, parameters, band, kinematic_cutoff, carrier.columns)

        def estimator(parameters: ParameterSet) -> RecursiveEstimator:
            return RecursiveEstimator(
                parameters, "rls", redundancy=band.redundancy,
                force_scale=float(np.mean(machine.force_size)), outputs=len(machine.drives),
            )  # fmt: skip

        self._recursive = estimator(parameters)
        drift = None
        if FrictionDrift.possible(parameters):
            drift = FrictionDrift(parameters, self._recursive.prior.std, self._recursive.outputs)
        self._watch = PayloadWatch(self._recursive, carrier, band, estimator, drift, clean=SOON)
        self.reset()

    def reset(self) -> None:
        """Forget everything learned."""
        self._recursive.reset()
        self._watch.reset()
        self._since = 0
        self.interrupt()

    def interrupt(self) -> None:
        """The next sample does not follow upon the last one."""
        self._segment: int | None = None

    def warm_up(self) -> None:
        """Load what only many equations lead to (the first are taken again), then forget everything."""
        filtering, prior = self._recursive.filter, self._recursive.prior
        filtering.start_from(prior.mean, np.diag(prior.std**2))
        ChangeTest(1, 1, (1,), 1).gains()
        self.reset()

    @property
    def known(self) -> bool:
        """Whether there are as many equations as parameters."""
        return self._recursive.outputs * self._recursive.filter.count >= len(self._recursive.parameters)

    @property
    def basis(self) -> FloatArray:
        """Dynamic parameters (B,) as they are believed, of what the platform carries too."""
        active = self._watch.active
        return active.parameters.mapping @ active.filter.mean + active.parameters.known

    def step(self, sample: TrackedSample) -> bool:
        """Take one sample with a good motion and forces; True when `basis` may be another."""
        starting = sample.segment != self._segment
        self._segment = sample.segment
        if not self._equations.step(sample, starting):
            self.interrupt()
            return False
        self._since = 0 if starting else self._since + 1
        if self._since < self._settling or (self._since - self._settling) % self._stride:
            return False
        one = self._equations.equation(sample.time, self._recursive.believed)
        if one.resting:
            self._watch.rest()
            return False
        suspecting = self._watch.suspecting
        return self._watch.step(one) or suspecting
