# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What lies between the force a drive reports and the one that acts at its end, as far as its numbers say.

A motor reports g k_T i, a cylinder its load force. On the way to the mechanism the screw loses a part, friction inside
takes its share, a shaft or belt deflects; and a command that is held over a period is the force of its middle, while it
is sampled at its end. A setpoint that is held makes the oil's pressure swing with the same period, and samples see it
always at the same place of the swing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .friction_inside import FRICTIONLESS, InnerFriction

FASTER = 0.9  # of the period of commands: stamps of samples that come with them may differ by as much


@dataclass(frozen=True)
class Transfer:
    """Of one drive, everything along its coordinate.

    Attributes
    ----------
    late : float
        s, by which the reported force is late.
    efficiency, back_efficiency : float
        Share of the force that passes on, of power to the load and from it.
    friction : InnerFriction
        Between the reported force and the mechanism, at the mechanism's rate.
    compliance : float
        Of what is compliant between motor and mechanism, m/N (rad/(N m)); 0: nothing is.
    damping_time : float
        Damping over stiffness of that, s.
    motor_mass : float
        Of what turns in front of it, kg (kg m^2).
    motor_friction : InnerFriction
        In front of it, N s/m, N and m/s.
    on_motor : bool
        Whether the encoder is in front of it.
    held : float
        s, for which commands are held if samples do not come faster; 0: `late` holds at every sample period.
    lag : float
        Of first order between command and force, s.
    ripple : float
        What the staircase of a held setpoint adds to the reported force at its steps, for each m/s (rad/s), N s/m.
    """

    late: float = 0.0
    efficiency: float = 1.0
    back_efficiency: float = 1.0
    friction: InnerFriction = FRICTIONLESS
    compliance: float = 0.0
    damping_time: float = 0.0
    motor_mass: float = 0.0
    motor_friction: InnerFriction = FRICTIONLESS
    on_motor: bool = False
    held: float = 0.0
    lag: float = 0.0
    ripple: float = 0.0

    def at(self, period: float) -> Transfer:
        """The same drive for samples that come at another period in s."""
        if not self.held:
            return self
        # samples that come faster see the staircase's whole period, whose mean is zero
        ripple = self.ripple if period >= FASTER * self.held or not np.isfinite(self.held) else 0.0
        return replace(self, late=lateness(min(self.held, period), self.lag), ripple=ripple)

    @property
    def depends_on_rate(self) -> bool:
        """Whether the force depends on the drive's motion."""
        losses = self.efficiency != 1.0 or self.back_efficiency != 1.0
        return (
            losses
            or self.ripple != 0.0
            or self.friction.acts
            or self.motor_friction.acts
            or self.compliance > 0.0
        )

    @property
    def acts(self) -> bool:
        """Whether there is anything between the two forces."""
        return self.late > 0.0 or self.depends_on_rate


def lateness(held: float, lag: float) -> float:
    """Seconds by which a sample at the end of each period of `held` s is late, of what follows a held command.

    The command's staircase is the wanted course half a period late; a lag (s) of first order delays what acts by
    itself, and what is seen of it at the periods' ends by a sum: held / (1 - exp(-held / lag)) in all.
    """
    if not np.isfinite(lag):
        return 0.0
    seen = held if lag == 0.0 else held / -np.expm1(-held / lag)
    return float(seen - 0.5 * held - lag)
