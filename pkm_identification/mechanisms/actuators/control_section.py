# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The section `control` of a machine file: loops in the drives, and the law that commands the drives together."""

from __future__ import annotations

from dataclasses import dataclass

from pkm_identification.document import Node

from ..file_keys.key import POSITIVE, Key, choice
from .base import Actuator
from .loops import CURRENT, POSITION, VELOCITY, DriveLoops, PositionControl, VelocityControl, read_drive_loops

SPACES = ("drives", "workspace")
_SPACE = Key("space", "what the loops act on (default: drives)", choice(SPACES), default=SPACES[0])
_TORQUE = Key(
    "computed_torque",
    "in place of the loops, for drives that take forces",
    keys=(
        Key("position_gain", "of the error, 1/s^2", POSITIVE, required=True),
        Key("rate_gain", "of its rate, 1/s", POSITIVE, required=True),
        Key("period", "of the law, s", POSITIVE, required=True),
    ),
)
CONTROL = Key(
    "control",
    "loops in those drives, or a law for all of them (docs/actuators.md)",
    keys=(_SPACE, POSITION, VELOCITY, CURRENT, _TORQUE),
    several=True,
    null=True,
)


@dataclass(frozen=True)
class TorqueControl:
    """Computed torque: e'' + k_v e' + k_p e = 0; k_p in 1/s^2, k_v in 1/s, the period in s."""

    position_gain: float
    rate_gain: float
    period: float


@dataclass(frozen=True)
class MachineControl:
    """What a machine file says of its control.

    Attributes
    ----------
    drives : tuple of DriveLoops
        Of each drive; empty where drives take forces.
    computed_torque : TorqueControl or None
    workspace : bool
        Whether the error is that of the outputs or the platform, and not of the driven coordinates.
    """

    drives: tuple[DriveLoops, ...] = ()
    computed_torque: TorqueControl | None = None
    workspace: bool = False

    @property
    def slowest_period(self) -> float:
        """s, of the slowest loop."""
        if self.computed_torque is not None:
            return self.computed_torque.period
        return max(one.position.period for one in self.drives)

    @property
    def command_period(self) -> float:
        """s, for which a drive's command is held: of the slowest innermost loop."""
        if self.computed_torque is not None:
            return self.computed_torque.period
        return max((one.current or one.velocity or one.position).period for one in self.drives)


def read_control(root: Node, actuators: tuple[Actuator, ...] | None) -> MachineControl | None:
    """Return the section of a file, one for all drives or a list of one for each; None where it has none.

    Raises
    ------
    MachineError
        If a value is impossible, periods are no multiples, or the actuators cannot take what the loops give.
    """
    node = root.take("control", None)
    if node.value is None:
        return None
    if actuators is None:
        node.fail("belongs to drives with an 'actuator'; this file has none")
    if isinstance(node.value, list):
        if len(node.value) != len(actuators):
            node.fail(
                f"must be a list of {len(actuators)}, one for each drive, or one section for all; "
                f"found {len(node.value)} entries"
            )
        each = enumerate(zip(node.entries(), actuators, strict=True))
        return MachineControl(tuple(read_drive_loops(entry, {i: one}) for i, (entry, one) in each))
    workspace = _SPACE.read(node) == "workspace"
    law = _TORQUE.read(node)
    if law is not None:
        node.close()
        for i, actuator in enumerate(actuators):
            if actuator.has_valve:
                node.take("computed_torque").fail(
                    f"gives forces; drive {i + 1} has a valve, which takes none"
                )
        return MachineControl((), TorqueControl(**law), workspace)
    loops = read_drive_loops(node, dict(enumerate(actuators)))
    if workspace:
        _check_workspace(node, loops.position, loops.velocity)
    return MachineControl((loops,) * len(actuators), None, workspace)


def _check_workspace(node: Node, position: PositionControl, velocity: VelocityControl | None) -> None:
    """Refuse more than the gain in a workspace loop: its wanted coordinate is new each period."""
    ahead = velocity is not None and (velocity.rate_feed_forward or velocity.acceleration_feed_forward)
    if position.rate_feed_forward or ahead:
        node.take("space").fail(
            "= workspace: has no rate of a wanted coordinate to feed forward: leave out "
            "rate_feed_forward and acceleration_feed_forward"
        )
