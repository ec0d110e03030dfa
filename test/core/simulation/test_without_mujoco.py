# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""MuJoCo is an extra: identification does without, and what simulates says what is missing in one line."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

# an entry of None is what Python keeps of a module that cannot be found
WITHOUT = """
import sys
sys.modules["mujoco"] = None
import pkm_identification.api.identification
from pkm_identification.commands import excite, identifiability
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.trajectories import trajectory
from pkm_identification.cli import main
sys.exit(main(["simulate", "--machine", "uf", "--trajectory", "x", "--out", sys.argv[1]]))
"""


def test_what_simulates_says_that_mujoco_is_missing(tmp_path):
    log = tmp_path / "log.csv"
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, str(log)], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr == "pkm simulate: needs mujoco: pip install 'pkm_identification[sim]'\n"
    assert not log.exists()
