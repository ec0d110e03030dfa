# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Parameters of the estimator node, and the settings they make."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pkm_identification.identification.online.pipeline import build_stream_settings
from pkm_identification.identification.settings import (
    FIX,
    NAMED,
    PRIOR,
    RECURSIVE,
    TIE,
    TUNING,
    Settings,
    assumptions_of,
)
from pkm_identification.machines.contract import Machine

from .declarations import MACHINE, LiveParameter, ParameterSpec, read_period, sample_rate_of

CHOSEN = ("parameters", "estimator", "forgetting", *TUNING)
WATCH = ("payload", "drift", "friction_walk")
LIVE = ("band_cutoff", "band_order", "gate")

PARAMETERS = (
    MACHINE,
    sample_rate_of("platform_state"),
    ParameterSpec.of(NAMED["parameters"]),
    ParameterSpec.of(NAMED["estimator"], description="recursive estimator", choices=RECURSIVE),
    ParameterSpec.of(NAMED["forgetting"]),
    *(ParameterSpec.of(NAMED[name]) for name in TUNING),
    *(ParameterSpec.of(declaration) for declaration in (FIX, TIE, PRIOR)),
    *(ParameterSpec.of(NAMED[name], live=True) for name in LIVE),
    *(ParameterSpec.of(NAMED[name]) for name in WATCH),
    ParameterSpec("platform_frame", "platform", "frame of a payload's centre of mass; without a pose its body's name"),
    LiveParameter("publish_rate", 10.0, "most estimates published", "Hz", 0.01, 1e3),
    LiveParameter("enabled", True, "whether it estimates; the service ~/enable sets it too"),
    ParameterSpec("initial_estimate", "", "estimate.json to start from; empty: the machine file's values"),
    ParameterSpec("resume", False, "start from the file ~/save writes, when it is there"),
    # not to be changed from the network: it would let others choose what is written over
    ParameterSpec("save_folder", "", "folder ~/save writes into; empty: pkm_identification in ROS_HOME or ~/.ros",
                  read_only=True),
    LiveParameter("save_name", "",
                  "file in that folder ~/save writes, NAME.json; empty: after machine_id (left_uf.json)"),
    LiveParameter("autosave_period", 0.0, "save that often by itself; 0: only when asked", "s", 0, 86400),
    LiveParameter("save_at_shutdown", False, "save when the node is cleaned up or ends"),
)  # fmt: skip


def build_estimator_settings(machine: Machine, values: Mapping[str, Any]) -> Settings:
    """Return settings of the estimation for parameter values, for a stream of the machine.

    Raises
    ------
    SettingsError
        If values do not go together, or there is no such filter at that rate.
    PkmError
        If `fix`, `tie` or `prior` cannot be understood.
    """
    settings = Settings.of(
        causal=True,
        assumptions=assumptions_of(values["fix"], values["tie"], values["prior"]),
        **{name: values[name] for name in (*CHOSEN, *LIVE, *WATCH)},
    )
    return build_stream_settings(machine, settings, read_period(machine, values["sample_rate"]))
