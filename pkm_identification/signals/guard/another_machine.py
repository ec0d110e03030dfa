"""Whether a log can be of a machine at all: raw logs name none, but their lengths must have poses."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from pkm_identification.errors import LogError
from pkm_identification.mechanisms.hexapod.kinematics.forward import FAILED, forward_kinematics
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS, StrutLog
from pkm_identification.numerics.arrays import FloatArray

_LOOKED_AT = 500  # samples, over all of the log
# A file may state limits a little narrower than the machine's own, and encoders have faults: that is no other machine.
_BEYOND = 0.02  # of the stroke
_SHARE = 0.02  # of the samples
_FEW = 60  # samples that tell whether another order of the columns has poses


def refuse_another_machine(log: StrutLog, machine: Machine) -> None:
    """Refuse a log whose strut lengths a machine cannot have had.

    Parameters
    ----------
    log : StrutLog
        Before the guard, which drops what is outside the limits.
    machine : Machine

    Raises
    ------
    LogError
        If more than a fiftieth of the samples are outside the machine's limits by more than a fiftieth of its
        stroke, or have no pose in any order of the columns: names the share.
    """
    length = log.length[np.isfinite(log.length).all(axis=1)]
    if not len(length):
        return
    length = length[:: -(-len(length) // _LOOKED_AT)]
    low, high = machine.length_limits
    outside = (np.maximum(low - length, length - high) > _BEYOND * (high - low)).any(axis=1)
    _refuse(outside, log, machine, f"lengths outside {low:g} to {high:g} m")
    nowhere = forward_kinematics(machine, length).status == FAILED
    # columns of other struts are told by the diagnosis, with the order that is right
    if np.mean(nowhere) > _SHARE and not _has_poses_in_another_order(machine, length):
        _refuse(nowhere, log, machine, "lengths that no pose of this machine has")


def _refuse(beyond: NDArray[np.bool_], log: StrutLog, machine: Machine, what: str) -> None:
    """Refuse a log where samples (N,) are beyond what can be, but for a few."""
    if np.mean(beyond) > _SHARE:
        share = f"{100 * np.mean(beyond):.1f} % of its samples have {what}"
        raise LogError(f"{log.source}: a log of another machine than '{machine.name}': {share}")


def _has_poses_in_another_order(machine: Machine, length: FloatArray) -> bool:
    few = length[np.unique(np.linspace(0, len(length) - 1, _FEW).astype(int))]
    return any(
        np.mean(forward_kinematics(machine, few[:, order]).status == FAILED) <= _SHARE
        for order in permutations(range(STRUTS))
    )
