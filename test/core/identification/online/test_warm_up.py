# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Nothing is left to be compiled once a pipeline is warm: on a new installation that stops a stream for seconds."""

import subprocess
import sys

import pytest

SCRIPT = """
import sys

from numba.core.dispatcher import Dispatcher

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.identification.online.pipeline import OnlinePipeline
from pkm_identification.simulation import simulate


def compiled():
    modules = [module for name, module in sys.modules.items() if name.startswith("pkm_identification")]
    kernels = {id(k): k for module in modules for k in vars(module).values() if isinstance(k, Dispatcher)}
    return {f"{k.py_func.__module__}.{k.py_func.__name__} {types}" for k in kernels.values() for types in k.signatures}


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


@pytest.mark.slow
def test_what_is_warm_compiles_nothing_more():
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=900, check=False
    )
    assert run.returncode == 0, run.stderr
    count, late = run.stdout.splitlines()
    assert int(count) > 155  # a payload is watched for after 150
    assert late == "late: []"
