# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""An identification with made-up numbers: what the report's tests are about is how it is shown."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.identifiability import (
    COMBINATION,
    IDENTIFIABLE,
    UNIDENTIFIABLE,
    Combination,
)
from pkm_identification.estimation.trace import EstimateTrace
from pkm_identification.identification.diagnosis.findings import Diagnosis, Residuals
from pkm_identification.identification.diagnosis.noise_floor import NoiseFloor
from pkm_identification.identification.result import Identification
from pkm_identification.identification.settings import Settings
from pkm_identification.identification.validation import Validation
from pkm_identification.machines.hexapod import Hexapod
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters

PRIOR_VALUE = 0.123454321  # stands where the data show nothing and must not be printed


def made_estimate(seed: int = 0) -> ParameterEstimate:
    """Of the identifiable set: Izz_p not shown, m_p and m_e only as m_p + 6 m_e."""
    rng = np.random.default_rng(seed)
    parameters = list_hexapod_parameters(Machine.load("uf"))
    count = len(parameters.names)
    values = parameters.nominal * rng.uniform(0.8, 1.2, count)
    std = 0.01 * parameters.scale * rng.uniform(0.5, 2, count)
    status = [IDENTIFIABLE] * count
    weights = np.zeros(count)
    for name, kind, weight in (
        ("Izz_p", UNIDENTIFIABLE, 0),
        ("m_p", COMBINATION, 1),
        ("m_e", COMBINATION, 6),
    ):
        i = parameters.names.index(name)
        status[i], values[i], std[i], weights[i] = kind, PRIOR_VALUE, parameters.scale[i], weight
    combination = Combination("m_p + 6 m_e", weights, 15.25, 0.04, "kg", float(weights @ parameters.nominal))
    return ParameterEstimate(
        names=parameters.names,
        units=parameters.units,
        values=values,
        std=std,
        nominal=parameters.nominal,
        status=tuple(status),
        covariance=np.diag(std**2),
        combinations=(combination,),
        nis=5.8,
        nis_dof=6,
        count=1500,
        time=30.0,
        estimator="ukf",
        model="force",
    )


def made_fit(seed: int = 0) -> Diagnosis:
    """A model that fits: what is left is noise."""
    floor = NoiseFloor(
        np.full(6, 0.2), np.full(6, 0.2), np.zeros(6), "from the data", np.full(6, 1e-3), np.zeros(6)
    )
    noise = np.random.default_rng(seed).normal(size=(500, 6))
    residuals = Residuals(0.04 * np.arange(500), noise)
    per_strut = np.sqrt(np.mean(noise**2, axis=0))
    return Diagnosis(True, floor, 0.1, 1.0, per_strut, residuals=(residuals,))


def made_identification(seed: int = 0, error: float = 0.3, machine: Machine | None = None) -> Identification:
    """A recursive identification, validated with `error` % rms in the band."""
    rng = np.random.default_rng(seed)
    estimate = made_estimate(seed)
    fade = np.exp(-np.arange(200) / 20)[:, None]
    trace = EstimateTrace(
        time=0.1 * np.arange(200),
        values=estimate.values + fade * rng.normal(size=(200, len(estimate.values))),
        std=estimate.std + fade,
        nis=np.full(200, 6.0),
    )
    time = np.arange(4000) * 0.005
    measured = 80 * np.sin(2 * np.pi * np.outer(time, np.arange(1, 7)))
    noise = rng.normal(size=measured.shape)
    noise *= error / 100 * np.sqrt(np.mean(measured**2, axis=0) / np.mean(noise**2, axis=0))
    validation = Validation(
        time=time,
        measured=measured,
        predicted=measured - noise,
        rms_percent=np.full(6, error),
        rms_percent_total=error,
        rms_percent_raw=np.full(6, 7.0),
        rms_percent_raw_total=7.0,
        source="logs/held_out.csv",
    )
    return Identification(
        machine=Hexapod(machine or Machine.load("uf")),
        settings=Settings.of(cutoff=150.0),
        parameters=Settings().parameter_set(machine or Machine.load("uf")),
        estimate=estimate,
        samples=30000,
        dropped={"spike": 3, "gap": 1},
        trace=trace,
        residual_rms=np.full(6, 0.3),
        converged=True,
        validation=validation,
    )


def without(result: Identification, *parts: str) -> Identification:
    """Without its validation or trace."""
    changes = {"validation": None, "trace": EstimateTrace()}
    return replace(result, **{part: changes[part] for part in parts})
