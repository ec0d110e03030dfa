# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Rows on forces that the model does not fit: the driver's fault is named, and no estimate is called identified."""

from __future__ import annotations

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from ros.rigs import ChainRig, list_joint_names, rich_messages, status_with, values_of
from ros.ros_bench import joint_state

from pkm_identification.machines.load import load_machine
from pkm_identification.msg import ParameterEstimate
from pkm_identification.simulation import SensorSettings, perturb_machine, simulate
from pkm_identification.simulation.faults.registry import parse_fault

pytestmark = pytest.mark.slow

EVERY = (
    4  # of the simulator's samples: 250 Hz are enough for forces up to 10 Hz, and a quarter of the messages
)
RATE = 1000.0 / EVERY
SECONDS = 24.0
STEP = 50  # messages


def joint_states(fault: str, seconds: float = SECONDS, machine: str = "uf"):
    """Joint states of a driver with a fault."""
    one = load_machine(machine)
    log = simulate(
        perturb_machine(one, 3, 0.1),
        "rich",
        seconds,
        nominal=one,
        sensors=SensorSettings(current_noise=0.005),
        seed=3,
        faults=[parse_fault(fault, len(one.drives))] if fault else [],
    )
    rows = zip(log.time[::EVERY], log.length[::EVERY], log.force[::EVERY], strict=True)
    names = list_joint_names(machine)
    return [joint_state(time + 100.0, length, force, names) for time, length, force in rows]


def newest(rig):
    """The estimate of all that was fed, waited for: which of those before are published is chance."""
    count = rig.estimator.estimator.estimate.count
    return rig.bench.wait(
        lambda: next((m for m in rig.estimates[-1:] if m.count == count), None), "the newest estimate"
    )


@pytest.mark.parametrize(
    ("machine", "fault", "cause", "said"),
    [
        ("uf", "exchanged_struts=1-5", "exchanged_struts", "1 and 5 are exchanged"),
        ("mast", "force_delay=0.004", "force_delay", "ms late"),
    ],
)
def test_a_fault_of_the_driver_is_named_in_message_and_diagnostics(bench, machine, fault, cause, said):
    statuses = bench.collect(DiagnosticArray, "/diagnostics")
    rig = ChainRig(bench, machine=machine, sample_rate=RATE)
    rig.feed(joint_states(fault, machine=machine))
    message = newest(rig)
    assert message.lack_of_fit
    assert message.fit_judged
    assert message.cause == cause
    assert said in message.cause_text
    assert ParameterEstimate.IN_DOUBT in message.status
    status = status_with(bench, statuses, said)
    assert status.level == status.ERROR
    assert values_of(status)["cause"] == cause


def test_a_misfit_without_a_name_is_told_in_message_and_diagnostics(bench):
    """Force sensors 8 % off a line; before the first judgement nothing is called identifiable, either."""
    statuses = bench.collect(DiagnosticArray, "/diagnostics")
    rig = ChainRig(bench, sample_rate=RATE)
    messages = joint_states("", 34.0)  # friction seems to change at first, and each judgement waits for that
    largest = np.max([np.abs(one.effort) for one in messages], axis=0)
    for one in messages:
        force = np.array(one.effort)
        one.effort = (force * (1.0 + 0.08 * np.abs(force) / largest)).tolist()
    rig.feed(messages)
    message = newest(rig)
    assert message.lack_of_fit
    assert message.fit_ratio > 1.35
    assert "No known cause explains the misfit" in message.cause_text
    assert not any(ParameterEstimate.IDENTIFIABLE in one.status for one in rig.estimates)
    assert ParameterEstimate.IN_DOUBT in message.status
    status = status_with(bench, statuses, "No known cause explains the misfit")
    assert status.level == DiagnosticStatus.ERROR


def test_an_encoder_that_loses_counts_under_way_is_named(bench):
    """The simulated machine's drives follow the wrong length: half a millimetre, less than the guard waits for."""
    rig = ChainRig(bench, sample_rate=RATE)
    rig.feed(joint_states("lost_counts_3=0.0005,12", 34.0))
    message = newest(rig)
    assert message.lack_of_fit
    assert message.cause == "lost_counts_3"
    assert message.cause_unit == "m"
    assert abs(message.cause_value - 5e-4) < 5.0 * message.cause_std + 2e-5
    assert "encoder of strut 3 loses counts" in message.cause_text
    assert ParameterEstimate.IN_DOUBT in message.status


def test_row_31_a_drifting_length_zero_is_named_and_deviations_hold(bench):
    """Counts lost at .1 mm/s: ERROR names strut and speed within half a minute, before a value is 4 deviations off."""
    rig = ChainRig(bench, sample_rate=RATE, publish_rate=50.0)

    def drift(time, length, force):
        length[:, 1] += 1e-4 * time
        force += np.random.default_rng(1).normal(0.0, 1.0, force.shape)

    statuses = bench.diagnostics()
    messages = rich_messages("uf", 100.0, SECONDS, change=drift)
    for start in range(0, len(messages), STEP):
        rig.feed(messages[start : start + STEP])
        if rig.estimator.estimator.estimate.count and (message := newest(rig)).lack_of_fit:
            break
    assert message.lack_of_fit
    assert ParameterEstimate.IN_DOUBT in message.status
    assert (message.cause, message.cause_unit) == ("length_drift_2", "m/s")
    assert abs(message.cause_value - 1e-4) < 4.0 * message.cause_std
    assert "length of strut 2 drifts by 0.1" in message.cause_text
    assert status_with(bench, statuses, message.cause_text).level == DiagnosticStatus.ERROR
    off = np.abs(np.array(message.values) - message.nominal) / message.std
    assert off.max() < 4.0


@pytest.mark.parametrize("machine", ["uf", "epaas"])
def test_a_right_driver_raises_no_alarm(bench, machine):
    rig = ChainRig(bench, machine=machine, sample_rate=RATE)
    rig.feed(joint_states("", machine=machine))
    message = newest(rig)
    assert message.fit_judged
    assert not message.lack_of_fit
    assert message.fit_ratio < 1.35
    assert message.cause == ""
    assert all(one.fit_judged or ParameterEstimate.IDENTIFIABLE not in one.status for one in rig.estimates)
    assert not np.any(np.array(message.status) == ParameterEstimate.IN_DOUBT)
