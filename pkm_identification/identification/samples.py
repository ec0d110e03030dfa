"""Good platform and strut samples of one guarded log: filtered, with a pose found for each."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.mechanisms.hexapod.kinematics.forward import OK, platform_motion
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import PlatformMotion, StrutMotion
from pkm_identification.signals.causal import FilterSettings
from pkm_identification.signals.guard import GuardedLog
from pkm_identification.signals.zero_phase import filter_log

from .equations.twin_motions import twin_motions
from .online.strut_stage import strut_motion


@dataclass(frozen=True)
class Samples:
    """Samples of one log.

    Attributes
    ----------
    platform : PlatformMotion
    struts : StrutMotion
        Segments are cut where poses are missing.
    failed : int
        Samples without a good pose, which are left out.
    twins : tuple of PlatformMotion
        Twins of the motion, where asked for.
    wrong_rate : int
        Samples a causal run left out because of their rate.
    """

    platform: PlatformMotion
    struts: StrutMotion
    failed: int
    twins: tuple[PlatformMotion, ...] = ()
    wrong_rate: int = 0


def samples_of(
    log: GuardedLog, machine: Machine, settings: FilterSettings, *, causal: bool = False, twins: bool = False
) -> Samples:
    """Samples of one log with a good pose.

    Parameters
    ----------
    log : GuardedLog
    machine : Machine
    settings : FilterSettings
        Of the kinematic low-pass.
    causal : bool
        Filter as online; else zero-phase.
    twins : bool
        Add the twins of the motion (`twins`).
    """
    struts, wrong_rate = (
        strut_motion(log, settings) if causal else (filter_log(log, settings.cutoff, settings.order), 0)
    )
    platform, poses = platform_motion(machine, struts)
    others = []
    if twins:
        pair = twin_motions(log, struts, settings.cutoff, settings.order)
        others = [platform_motion(machine, twin)[0] for twin in pair]
    good = poses.status == OK
    failed = int(np.count_nonzero(~good))
    if failed:
        # a missing pose ends a segment just as a gap does
        broken = np.cumsum(np.diff(np.concatenate([[0], struts.segment])) != 0)
        segment = broken * (len(good) + 1) + np.cumsum(~good)
        struts = replace(struts, segment=segment)[good]
        platform = platform[good]
        others = [motion[good] for motion in others]
    return Samples(platform, struts, failed, tuple(others), wrong_rate)
