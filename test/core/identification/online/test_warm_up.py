# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Nothing is left to be compiled once a pipeline is warm: on a new installation that stops a stream for seconds."""

import subprocess
import sys

import pytest

COMPILED = """
import sys
import warnings

from numba.core.dispatcher import Dispatcher

from pkm_identification.machines.load import as_machine
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.identification.online.pipeline import OnlinePipeline
from pkm_identification.identification.online.filter_stage import FilterStage, by_model
from pkm_identification.identification.settings import Settings
from pkm_identification.simulation.simulator import simulate


def compiled():
    modules = [module for name, module in sys.modules.items() if name.startswith("pkm_identification")]
    kernels = {id(k): k for module in modules for k in vars(module).values() if isinstance(k, Dispatcher)}
    return {f"{k.py_func.__module__}.{k.py_func.__name__} {types}" for k in kernels.values() for types in k.signatures}


"""

PIPELINE = """
log = simulate(Machine.load("uf"), "rich", 8.0, seed=4).log()
pipeline = OnlinePipeline(Machine.load("uf"))
pipeline.warm_up()
before = compiled()
for time, length, force in zip(log.time, log.length, log.force):
    if pipeline.step(time, length, force):
        assert pipeline.estimate.count
print(pipeline.estimate.count)
print("late:", sorted(compiled() - before))
"""


# as the node strut_filter has it; the stream's own model takes its first equations again after 2.9 s
BELTS = """
machine = Machine.load("uf_belt")
settings = Settings().resolve(machine)
log = simulate(machine, "rich", 3.5, seed=4).log()
stage = FilterStage(settings.validation, settings.filter, by_model(as_machine(machine)))
with warnings.catch_warnings():
    warnings.simplefilter("error")
    stage.warm_up(as_machine(machine))
before = compiled()
for time, length, force in zip(log.time, log.length, log.force):
    stage.step(time, length, force)
print(stage.forces[-1].modelled)
print("late:", sorted(compiled() - before))
"""


def lines(script):
    """What a Python of its own prints."""
    run = subprocess.run(
        [sys.executable, "-c", COMPILED + script], capture_output=True, text=True, timeout=900, check=False
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()


@pytest.mark.slow
def test_what_is_warm_compiles_nothing_more():
    count, late = lines(PIPELINE)
    assert int(count) > 155  # a payload is watched for after 150
    assert late == "late: []"


@pytest.mark.slow
def test_belts_warm_without_a_warning_and_compile_nothing_more():
    assert lines(BELTS) == ["True", "late: []"]
