# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The program on the page for drivers publishes what it read, stamped at the log's own instants."""

import gzip
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
from sensor_msgs.msg import JointState

from pkm_identification.ros.clock import seconds

PAGE = Path(__file__).resolve().parents[2] / "docs" / "driver_contract.md"
PROGRAM = re.search(r"^```py\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.S | re.M)[1]
PERIOD, COUNT = 0.004, 1500


def test_the_shortest_driver_publishes_its_log(bench, domain, tmp_path):
    states = bench.collect(JointState, "strut_states")
    rows = np.column_stack([PERIOD * np.arange(COUNT), 1e-3 * np.arange(12 * COUNT).reshape(COUNT, 12)])
    with gzip.open(tmp_path / "log.csv.gz", "wt") as file:
        file.write("t," + ",".join(f"c{k}" for k in range(12)) + "\n")
        np.savetxt(file, rows, delimiter=",")
    run = [sys.executable, "-c", PROGRAM]
    subprocess.run(
        run, cwd=tmp_path, env={**os.environ, "ROS_DOMAIN_ID": str(domain)}, check=True, timeout=60
    )
    bench.wait(lambda: len(states) > 100, "samples")  # those before it was discovered are lost
    names = [f"strut_{i}" for i in range(1, 7)]
    first = round(states[0].position[0] / 0.012)
    start = seconds(states[0].header.stamp) - PERIOD * first
    for state in states:
        row = rows[round(state.position[0] / 0.012)]
        assert list(state.name) == names
        np.testing.assert_allclose([*state.position, *state.effort], row[1:], atol=1e-12)
        assert abs(seconds(state.header.stamp) - start - row[0]) < 1e-6
