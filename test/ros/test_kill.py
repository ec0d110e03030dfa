# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Nodes killed hard and started again: the others go on, the estimate continues, a recording is not lost."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from ros.rigs import status_with, values_of

from pkm_identification.machines.load import load_machine
from pkm_identification.msg import ParameterEstimate, PlatformState
from pkm_identification.records.log import read_log
from pkm_identification.ros.clock import seconds
from pkm_identification.ros.processes.node_process import NodeProcess
from pkm_identification.ros.qos import LATCHED

NODES = ("strut_filter", "kinematics", "estimator", "simulator")
CHAIN = (
    ("strut_filter", "strut_states"),
    ("kinematics", "strut_states/filtered"),
    ("estimator", "platform_state"),
)
# what the nodes behind one that is gone miss
BEHIND = {"simulator": CHAIN, "strut_filter": CHAIN[1:], "kinematics": CHAIN[2:], "estimator": ()}


@pytest.fixture(scope="module")
def plant(domain, tmp_path_factory):
    """A simulated machine being identified, every node a process; folder of the estimate."""
    folder = tmp_path_factory.mktemp("plant")
    machine = {"machine": "mast"}
    parameters = {
        "estimator": {"resume": True, "autosave_period": 0.2, "save_folder": str(folder)},
        "simulator": {"duration": 600.0, "wait": 300.0, "wait_for": ["platform_state"]},
    }
    nodes = {
        name: NodeProcess(name, machine | parameters.get(name, {}), domain=domain, folder=folder / name)
        for name in NODES
    }
    try:
        for node in nodes.values():
            node.start()
        for node in nodes.values():
            node.wait_active()
        yield nodes, folder
    finally:
        for node in nodes.values():
            node.stop()


def kill(node):
    node.signal(signal.SIGKILL)
    assert node.wait(60.0) == -signal.SIGKILL


def count_saved(folder):
    path = folder / "mast.json"
    return json.loads(path.read_text())["state"]["count"] if path.exists() else 0


def test_nodes_share_no_memory_that_a_killed_one_could_leave_locked(plant):
    nodes, _ = plant
    for node in nodes.values():
        assert "/dev/shm/fast" not in Path(f"/proc/{node.pid}/maps").read_text(), node.node


@pytest.mark.slow
@pytest.mark.parametrize("name", ["simulator", "kinematics", "estimator"])
def test_row_29_after_a_kill_the_rest_keeps_working_and_the_estimate_continues(bench, plant, name):
    """All nodes behind miss their input within seconds, the estimate is stale; it goes on when the node is back."""
    nodes, folder = plant
    statuses = bench.diagnostics()
    estimates = bench.collect(ParameterEstimate, "parameter_estimate", LATCHED)
    states = bench.collect(PlatformState, "platform_state")
    bench.wait(lambda: estimates and states and count_saved(folder) > 20, "an estimate that is saved")
    kill(nodes[name])
    saved = count_saved(folder)
    before = [message for message in estimates if message.count <= saved][-1:]
    bench.spin(0.3)
    breaks = latest(statuses, "estimator", "breaks")
    segment, stamp = states[-1].segment, seconds(states[-1].header.stamp)
    for behind, topic in BEHIND[name]:
        status = status_with(bench, statuses, f"no samples on '{topic}'")
        assert (status.name, status.level) == (f"{behind}: input", DiagnosticStatus.WARN)
    if name != "estimator":
        # the estimate says how old it is, and that it is stale
        status = status_with(bench, statuses, "the estimate is stale")
        assert float(values_of(status)["estimate_age (s)"]) > 4.5
    statuses.clear()
    others = [node for other, node in nodes.items() if other != name]
    bench.wait(
        lambda: (
            {s.name.partition(":")[0] for a in statuses for s in a.status} >= {n for n in NODES if n != name}
        ),
        "diagnostics of the others",
    )
    assert all(node.code is None for node in others)
    seen = len(estimates)
    nodes[name].start().wait_active()
    bench.wait(lambda: any(m.count > saved for m in estimates[seen:]), "an estimate that went on")
    # nothing began from the machine file again, and no estimate jumped
    assert all(message.count >= saved for message in estimates[seen:])
    for message in estimates:
        assert np.isfinite([*message.values, *message.std, *message.covariance]).all()
    if before and name == "estimator":
        after = next(message for message in estimates[seen:] if message.count >= saved)
        difference = np.abs(np.array(after.values) - np.array(before[0].values))
        assert (difference <= 3.0 * np.array(before[0].std)).all()
    if name == "kinematics":
        # the filter went on, so only the stamps tell that samples are missing; unless its own input had a gap too
        bench.wait(
            lambda: latest(statuses, "estimator", "breaks") > breaks or states[-1].segment != segment,
            "the break the estimator noticed",
        )
    elif name != "estimator":
        new = bench.wait(
            lambda: [
                m.segment for m in states if m.segment != segment and seconds(m.header.stamp) > stamp + 1.0
            ],
            "states of a new segment",
        )
        assert min(new) > segment
    for node in nodes.values():
        assert node.code is None
        assert "Traceback" not in node.text()


def latest(statuses, node, key):
    """The newest number of a node's diagnostics; -1 before there is one."""
    found = [values_of(s).get(key) for a in statuses for s in a.status if s.name.partition(":")[0] == node]
    found = [one for one in found if one is not None]
    return int(found[-1]) if found else -1


def flushed(bench, folder, size):
    """Wait until a whole transaction of the recording that is being made has left so many bytes on disk."""
    recording = folder / "bag.part" / "bag" / "bag.db3"
    bench.wait(lambda: recording.exists() and recording.stat().st_size > size, f"{size} bytes of a recording")
    # these may be of a transaction that is not complete, or of its first part: it is when the next but one is begun
    seen = transactions(recording)
    bench.wait(lambda: transactions(recording) > seen + 1, "two more transactions")


def transactions(database):
    """SQLite's file change counter (its file format, section 1.3.7)."""
    with database.open("rb") as stream:
        return int.from_bytes(stream.read(28)[24:], "big")


@pytest.mark.slow
def test_a_killed_recorder_leaves_what_it_flushed_and_blocks_no_other(bench, plant, domain, tmp_path):
    states = bench.collect(PlatformState, "platform_state")
    bench.wait(lambda: states, "a machine that moves")
    parameters = {"output": str(tmp_path / "bag")}
    with NodeProcess("recorder", parameters, domain=domain, folder=tmp_path / "log") as recorder:
        recorder.wait_active()
        flushed(bench, tmp_path, 100_000)
        kill(recorder)
    with NodeProcess("recorder", parameters, domain=domain, folder=tmp_path / "log") as recorder:
        recorder.wait_active()
        assert "earlier recording was cut off" in recorder.text()
        flushed(bench, tmp_path, 50_000)
        assert recorder.stop(60.0) == 0
    drives = load_machine("mast").drives
    cut_off = read_log(tmp_path / "bag_recovered", drives)
    faults = cut_off.faults
    assert faults == {}
    assert len(cut_off) > 100
    assert (np.diff(cut_off.time) > 0).all()
    assert len(read_log(tmp_path / "bag", drives)) > 10
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bag", "bag_recovered", "log"]
