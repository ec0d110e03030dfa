# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Behind ros2_control: what joint_state_broadcaster publishes is identified as the same log is offline.

The publisher does as that controller does: joints in an order of its own (that of its interfaces), other joints of the
cell among them, velocities, NaN where a joint lacks an interface, one message each cycle.
"""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from ros.rigs import ChainRig, simulated
from sensor_msgs.msg import JointState

from pkm_identification.identification.identify import identify
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.load import load_machine
from pkm_identification.motion import DriveLog
from pkm_identification.ros.clock import set_stamp

ROOT = Path(__file__).parents[2]
START = 1000.0  # s
ORDER = ("gripper", "strut_4", "strut_1", "door", "strut_6", "strut_2", "strut_3", "strut_5")


def broadcast(time, length, rate, force):
    """A message of one cycle; the gripper has no effort interface, the door neither velocity nor effort."""
    message = JointState(name=list(ORDER))
    set_stamp(message.header.stamp, time)
    places = {f"strut_{i + 1}": i for i in range(6)}
    for name in ORDER:
        i = places.get(name)
        message.position.append(0.04 if i is None else length[i])
        message.velocity.append(math.nan if name == "door" else 0.0 if i is None else rate[i])
        message.effort.append(math.nan if i is None else force[i])
    return message


@pytest.mark.slow
def test_what_ros2_control_publishes_is_identified_as_offline(bench, tmp_path):
    every, rate, use_sim_time = 5, 200.0, True
    whole = simulated("rich")
    log = DriveLog(
        *(np.ascontiguousarray(x[::every]) for x in (whole.time + START, whole.length, whole.force))
    )
    rates = np.gradient(log.length, log.time, axis=0)
    machine = tmp_path / "machine.yaml"
    text = (ROOT / "config" / "machines" / "uf.yaml").read_text()
    machine.write_text(text.replace("sample_rate: 1000", f"sample_rate: {rate:g}"))
    chain = ChainRig(
        bench,
        use_sim_time,
        0.0,
        str(machine),
        "/joint_states",
        save_folder=str(tmp_path),
        save_name="online.json",
    )
    chain.feed([broadcast(*row) for row in zip(log.time, log.length, rates, log.force, strict=True)])
    assert not any(chain.filter.health.counts.values())
    assert bench.trigger("/estimator/save").success

    # stamps of messages are whole nanoseconds
    stamped = replace(log, time=np.round(log.time * 1e9) / 1e9)
    settings = Settings.of(estimator="ukf", causal=True, hold_out=0.0)
    offline = identify([stamped], load_machine(str(machine)), settings).trace.values[-1]
    online = json.loads((tmp_path / "online.json").read_text())["state"]
    # the recursion's own values: what the full model makes of them is asked of the newest minute at other instants
    std = np.sqrt(np.diag(online["covariance"]))
    np.testing.assert_array_less(np.abs(online["mean"] - offline[: len(std)]), 1e-9 * std)
