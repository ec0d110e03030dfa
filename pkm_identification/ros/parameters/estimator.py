"""Parameters of the estimator node, and the settings they make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pkm_identification.estimation.filters.recursive import FILTERS
from pkm_identification.identification.experiment import IdentifySettings
from pkm_identification.identification.online.drift import DRIFTS
from pkm_identification.identification.online.pipeline import PipelineSettings
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.parameters.assumptions import (
    Assumptions,
    Fix,
    Tie,
    read_prior,
)
from pkm_identification.parameters.parameter_set import NAMES

from .declarations import MACHINE, LiveParameter, ParameterSpec

PARAMETERS = (
    MACHINE,
    ParameterSpec("sample_rate", 0.0, "rate of platform_state; 0: the machine's drive.sample_rate", "Hz", 0, 1e5),
    ParameterSpec("parameters", "identifiable", "parameter set", choices=NAMES),
    ParameterSpec("estimator", "ukf", "recursive estimator", choices=tuple(FILTERS)),
    ParameterSpec("forgetting", 1.0, "of the estimator rls: what an equation leaves of older ones", "", 0.5, 1),
    ParameterSpec("fix", [""], "parameters that are known, each NAME (the file's value) or NAME=VALUE"),
    ParameterSpec("tie", [""], "parameters that follow another, each NAME=OTHER or NAME=OTHER*FACTOR"),
    ParameterSpec("prior", "", "YAML file of what is known beforehand, NAME: {value: ..., std: ...}"),
    LiveParameter("band_cutoff", 10.0, "low-pass over both sides of the model equation", "Hz", 0.01, 5e4),
    LiveParameter("band_order", 8, "order of that low-pass", low=1, high=12),
    LiveParameter("gate", 1e-9, "probability with which a good equation is kept out as an outlier", "", 1e-15, 0.1),
    ParameterSpec("payload", True, "watch for a payload taken up or set down; see the topic ~/payload"),
    ParameterSpec("drift", "detected", "make friction uncertain again where it is found changed", choices=DRIFTS),
    ParameterSpec("friction_walk", 0.0, "random walk of friction in an hour, relative to its size", "", 0, 10),
    ParameterSpec("platform_frame", "platform", "frame the payload's centre of mass is given in"),
    LiveParameter("publish_rate", 10.0, "most estimates published", "Hz", 0.01, 1e3),
    LiveParameter("enabled", True, "whether it estimates; the service ~/enable sets it too"),
    ParameterSpec("initial_estimate", "", "estimate.json to start from; empty: the machine file's values"),
    ParameterSpec("resume", False, "start from the file ~/save writes, when it is there"),
    # not to be changed from the network: it would let others choose what is written over
    ParameterSpec("save_folder", "~/.ros/pkm_identification", "folder ~/save writes into", read_only=True),
    LiveParameter("save_name", "estimate.json", "file in that folder ~/save writes, NAME.json"),
    LiveParameter("autosave_period", 0.0, "save that often by itself; 0: only when asked", "s", 0, 86400),
    LiveParameter("save_at_shutdown", False, "save when the node is cleaned up or ends"),
)  # fmt: skip
CHOSEN = ("parameters", "estimator", "band_cutoff", "band_order", "forgetting")
WATCH = ("payload", "drift", "friction_walk")


def pipeline_settings(machine: Machine, values: Mapping[str, Any]) -> PipelineSettings:
    """Settings of the stages for parameter values.

    Raises
    ------
    PkmError
        If neither the machine nor the values give the sample rate, or `fix`, `tie` or `prior` cannot be understood.
    ValueError
        If there is no such filter at that rate.
    """
    rate = values["sample_rate"]
    chosen = {name: values[name] for name in (*CHOSEN, *WATCH)}
    settings = PipelineSettings.of(
        machine, 1.0 / rate if rate else None, **chosen, assumptions=assumptions(values)
    )
    return replace(settings, estimator=replace(settings.estimator, gate=values["gate"]))


def identify_settings(values: Mapping[str, Any]) -> IdentifySettings:
    """The same for the document of a saved estimate."""
    chosen = {name: values[name] for name in CHOSEN}
    return IdentifySettings(causal=True, **chosen, assumptions=assumptions(values))


def assumptions(values: Mapping[str, Any]) -> Assumptions:
    """What the parameters `fix`, `tie` and `prior` state."""
    return Assumptions(
        fixed=tuple(Fix.parse(text) for text in values["fix"] if text),
        tied=tuple(Tie.parse(text) for text in values["tie"] if text),
        stated=read_prior(values["prior"]) if values["prior"] else (),
    )
