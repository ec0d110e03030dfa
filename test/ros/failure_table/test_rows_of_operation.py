# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Failure table, rows 19 to 21, 24, 26, 27, 34 and 38: parameters, publishers, signals, load, unusable files."""

from __future__ import annotations

import gzip
import json
import signal
import time

import numpy as np
import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticStatus
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from processes import run_node
from rcl_interfaces.msg import Log
from rcl_interfaces.srv import SetParameters, SetParametersAtomically
from rclpy.parameter import Parameter
from rclpy.qos import qos_profile_rosout_default
from ros.rigs import EstimatorRig, FilterRig, KinematicsRig, expected, status_with, values_of
from ros.ros_bench import DriveMotion
from sensor_msgs.msg import JointState

from pkm_identification.cli import main
from pkm_identification.errors import PkmError
from pkm_identification.motion import DriveLog
from pkm_identification.msg import StrutStates
from pkm_identification.nodes.player import PlayerNode
from pkm_identification.nodes.strut_filter import StrutFilterNode
from pkm_identification.records.bags.writer import BagWriter, write_strut_bag
from pkm_identification.records.log import read_log
from pkm_identification.ros.processes.node_process import NodeProcess
from pkm_identification.ros.qos import STRUT_STATES_SUBSCRIPTION

ERROR, WARN = DiagnosticStatus.ERROR, DiagnosticStatus.WARN


@pytest.mark.parametrize(
    ("node", "arguments", "line"),
    [
        (
            "strut_filter",
            ["-p", "cutoff:=-3.0"],
            "strut_filter: parameter 'cutoff' = -3.0: must be between 0 and 50000 Hz",
        ),
        (
            "strut_filter",
            ["-p", "cutoff:=700.0"],
            "strut_filter: filter cutoff is 700.0 Hz, must lie between 0 and 500.0 Hz (Nyquist)",
        ),
        (
            "kinematics",
            ["-p", "publish_tf:=7"],
            "kinematics: parameter 'publish_tf' = 7: must be true or false",
        ),
        (
            "estimator",
            ["-p", "initial_estimate:=/nowhere.json"],
            "estimator: /nowhere.json: cannot be read: No such file or directory",
        ),
    ],
)
def test_row_19_a_bad_parameter_at_start_is_one_line_with_name_value_and_range(domain, node, arguments, line):
    result = run_node(node, domain, "-p", "machine:=mast", *arguments)
    assert result.returncode == 2
    assert result.stderr.strip() == line


def set_atomically(bench, node, **values):
    request = SetParametersAtomically.Request()
    request.parameters = [Parameter(name, value=value).to_parameter_msg() for name, value in values.items()]
    return bench.call(SetParametersAtomically, f"/{node}/set_parameters_atomically", request).result


def set_each(bench, node, **values):
    request = SetParameters.Request()
    request.parameters = [Parameter(name, value=value).to_parameter_msg() for name, value in values.items()]
    return bench.call(SetParameters, f"/{node}/set_parameters", request).results


BOMB = "\n".join(
    ["a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    + [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 10)}]" for k in range(1, 9)]
    + ["schema: *a8", "name: *a8"]
)
LONGEST_LINE = 2_000  # characters


def configured(bench, machine):
    """Whether an inactive strut_filter takes a machine that it is told over DDS."""
    (answer,) = set_each(bench, "strut_filter", machine=machine)
    assert answer.successful
    request = ChangeState.Request(transition=Transition(id=Transition.TRANSITION_CONFIGURE))
    return bench.call(ChangeState, "/strut_filter/change_state", request).success


def refused_in_one_line(bench, machine, said):
    """What the log says of a machine that is refused; afterwards a good one is taken and the node works."""
    log = bench.collect(Log, "/rosout", qos_profile_rosout_default)
    node = bench.start(StrutFilterNode, bring_up=False, autostart=False)
    bench.connected("/rosout")
    assert not configured(bench, machine)
    (line,) = bench.wait(lambda: [m.msg for m in log if said in m.msg][:1], f"'{said}' in the log")
    assert line.isprintable()
    assert len(line) < LONGEST_LINE
    assert configured(bench, "mast")
    assert node.stage is not None
    return line


@pytest.mark.parametrize(
    ("text", "said"),
    [(BOMB, "aliases written out"), (f"kind: hexapod\nschema: {'9' * 5000}", "whole number of 5000 digits")],
    ids=["aliases", "digits"],
)
def test_row_34_a_machine_file_that_blows_up_is_one_bounded_line(bench, tmp_path, text, said):
    """Four hundred bytes that stand for 10^9 texts, named to an inactive node, which refuses to be configured."""
    (tmp_path / "m.yaml").write_text(text)
    assert str(tmp_path / "m.yaml") in refused_in_one_line(bench, str(tmp_path / "m.yaml"), said)


def test_row_38_control_characters_of_a_parameter_forge_no_line_of_the_log(bench):
    """A newline in a machine's name is shown in log and answers, not obeyed."""
    line = refused_in_one_line(bench, "m\n[ERROR] [1.0] [driver]: \x1b[31mall is lost", "\\n[ERROR]")
    assert "\\x1b[31mall is lost" in line
    (answer,) = set_each(bench, "strut_filter", kind="fir\n[ERROR]")
    assert not answer.successful
    assert answer.reason.isprintable()


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (
            {"max_gap": 0.02, "cutoff": 700.0},
            "filter cutoff is 700.0 Hz, must lie between 0 and 500.0 Hz (Nyquist)",
        ),
        ({"cutoff": 80.0, "order": 99}, "order"),
        (
            {"cutoff": 80.0, "kind": "brick"},
            "parameter 'kind' = 'brick': must be one of 'fir', 'butterworth'",
        ),
        ({"cutoff": 80.0, "executor": "events"}, "executor"),
        (
            {"cutoff": 80.0, "machine": "hexel"},
            "parameter 'machine' = 'hexel': is read when",
        ),
        ({"cutoff": float("nan")}, "cutoff"),
    ],
    ids=["above Nyquist", "range", "choice", "read-only", "fixed while configured", "not finite"],
)
def test_row_20_a_bad_change_is_refused_as_a_whole_with_the_reason(bench, values, reason):
    rig = FilterRig(bench, machine="mast")
    before = rig.node.parameter.all()
    answer = set_atomically(bench, "strut_filter", **values)
    assert not answer.successful
    assert reason in answer.reason
    assert rig.node.parameter.all() == before
    motion = DriveMotion(200, "mast")
    rig.feed(motion.messages())
    assert len(rig.settle(len(expected(motion)))) == len(expected(motion))


def test_row_20_set_one_by_one_each_stands_for_itself(bench):
    rig = FilterRig(bench, machine="mast")
    good, bad = set_each(bench, "strut_filter", cutoff=80.0, order=99)
    assert good.successful
    assert not bad.successful
    assert "99" in bad.reason or "order" in bad.reason
    assert (rig.node.parameter["cutoff"], rig.node.parameter["order"]) == (80.0, 4)
    assert rig.node.stage.filter.settings.cutoff == 80.0


def test_row_20_a_cutoff_changed_while_streaming_primes_the_filters_again(bench):
    rig = FilterRig(bench, machine="mast")
    motion = DriveMotion(600, "mast")
    messages = motion.messages()
    rig.feed(messages[:300])
    before = bench.wait(lambda: rig.output, "a first segment")[-1]  # taken is not yet sent on and heard
    assert set_atomically(bench, "strut_filter", cutoff=60.0, order=3).successful
    rig.feed(messages[300:])
    after = bench.wait(lambda: [m for m in rig.output if m.segment == before.segment + 1], "a new segment")
    assert after[0].delay == rig.node.stage.delay != before.delay
    # the first output of the new segment describes an instant of its own samples only
    stamp = after[0].header.stamp.sec + 1e-9 * after[0].header.stamp.nanosec
    assert stamp == pytest.approx(motion.time[300] + rig.node.stage.delay, abs=1e-6)


def test_row_20_rates_and_limits_of_the_other_nodes_change_while_they_run(bench, tmp_path):
    KinematicsRig(bench, machine="mast")
    rig = EstimatorRig(bench, "mast", save_folder=str(tmp_path))
    assert set_atomically(bench, "kinematics", pose_rate=5.0, degraded_condition=1e6).successful
    assert not set_atomically(bench, "kinematics", pose_rate=5.0, base_frame="map").successful
    answer = set_atomically(bench, "estimator", publish_rate=50.0, band_cutoff=600.0)
    assert not answer.successful
    assert "600" in answer.reason
    assert rig.node.parameter["publish_rate"] == 10.0
    answer = set_atomically(bench, "estimator", save_name="../x.json")
    assert "plain file name" in answer.reason
    assert set_atomically(bench, "estimator", enabled=False, publish_rate=50.0).successful
    assert not rig.node.enabled
    assert rig.node._publishing.timer_period_ns == 20_000_000


def test_row_21_two_publishers_are_pointed_out_by_name(bench):
    rig = FilterRig(bench, machine="mast")
    statuses = bench.diagnostics()
    other = bench.node.create_publisher(JointState, "strut_states", 10)
    rig.feed(DriveMotion(50, "mast").messages())
    assert status_with(bench, statuses, "2 publishers on 'strut_states': /bench, /bench").level == WARN
    bench.node.destroy_publisher(other)


def test_row_21_messages_of_another_type_are_an_error_naming_publisher_and_type(bench, domain):
    """They are no second publisher, and a topic that nobody else sends has none: the silence says so."""
    KinematicsRig(bench, machine="mast")
    bench.node.destroy_publisher(next(p for p in bench.node.publishers if "filtered" in p.topic_name))
    statuses = bench.diagnostics()
    context = rclpy.Context()  # a process has one type for a topic
    rclpy.init(args=[], context=context, domain_id=domain)
    try:
        other = rclpy.create_node("wrong_driver", context=context)
        other.create_publisher(JointState, "strut_states/filtered", 10)
        status = status_with(
            bench,
            statuses,
            "of /wrong_driver on 'strut_states/filtered' do not arrive",
            "nobody publishes it",
        )
        assert "they are sensor_msgs/msg/JointState, expected" in status.message
        assert "publishers on" not in status.message
        assert status.level == ERROR
    finally:
        rclpy.shutdown(context=context)


def test_row_21_quality_of_service_that_does_not_match_names_the_publisher(bench):
    KinematicsRig(bench, machine="mast")
    statuses = bench.diagnostics()
    careless = bench.node.create_publisher(StrutStates, "strut_states/filtered", STRUT_STATES_SUBSCRIPTION)
    status = status_with(bench, statuses, "messages of /bench on 'strut_states/filtered' do not arrive")
    assert status.level == ERROR
    assert "not reliable" in status.message
    assert any(values_of(s).get("qos_mismatch") == "1" for a in statuses for s in a.status)
    bench.node.destroy_publisher(careless)
    statuses.clear()
    # it ends with its cause; the counter stays
    bench.wait(
        lambda: any(
            s.name == "kinematics: input" and "arrive" not in s.message for a in statuses for s in a.status
        ),
        "a status without it",
    )


@pytest.mark.slow
def test_row_24_sigint_sent_twice_ends_in_order_with_complete_files(bench, domain, tmp_path):
    out = tmp_path / "recording"
    statuses = bench.diagnostics()
    with NodeProcess("recorder", {"output": str(out)}, domain=domain, folder=tmp_path) as recorder:
        recorder.wait_active()
        driver = bench.publisher(JointState, "strut_states")
        motion = DriveMotion(200, "mast")
        for message in motion.messages():
            driver.publish(message)
        # arrived is not taken yet: on a busy computer the signals come between
        bench.wait(
            lambda: any("200" in values_of(s).values() for a in statuses for s in a.status),
            "200 messages recorded",
        )
        for _ in range(2):
            recorder.signal(signal.SIGINT)
        assert recorder.wait(60.0) == 0
        assert "Traceback" not in recorder.text()
    log = read_log(out, motion.machine)
    faults = log.faults
    assert (len(log), faults) == (200, {})
    assert sorted(path.name for path in tmp_path.iterdir() if "recording" in path.name) == ["recording"]


@pytest.mark.slow
def test_row_24_an_estimator_told_to_stop_keeps_what_it_learned(bench, domain, tmp_path, saved_estimate):
    parameters = {
        "machine": "mast",
        "resume": True,
        "save_at_shutdown": True,
        "save_folder": str(tmp_path),
    }
    path = tmp_path / "mast.json"
    path.write_bytes(saved_estimate)
    path.chmod(0o600)
    before = path.stat().st_ino
    with NodeProcess("estimator", parameters, domain=domain, folder=tmp_path / "log") as estimator:
        estimator.wait_active()
        estimator.signal(signal.SIGTERM)
        estimator.signal(signal.SIGTERM)
        assert estimator.wait(60.0) == 0
        assert "Traceback" not in estimator.text()
    document = json.loads(path.read_text())
    assert document["state"]["count"] == json.loads(saved_estimate)["state"]["count"]
    assert path.stat().st_ino != before
    files = sorted(one.name for one in tmp_path.iterdir() if one.is_file())
    assert files == ["mast.json", "mast.lock", "mast.previous.json"]
    assert (tmp_path / "mast.previous.json").read_bytes() == saved_estimate


@pytest.fixture(scope="module")
def saved_estimate(tmp_path_factory):
    """An estimate.json that an offline identification wrote."""
    folder = tmp_path_factory.mktemp("identified")
    log, out = folder / "rich.csv.gz", folder / "mast.json"
    machine = ["--machine", "mast"]
    assert main(["simulate", *machine, "--trajectory", "rich", "--duration", "6", "--out", str(log)]) == 0
    main(["identify", str(log), *machine, "--estimator", "ls", "--json", str(out)])
    return out.read_bytes()


@pytest.mark.alone
def test_row_26_a_slow_node_counts_its_losses_and_reports_step_times(bench):
    statuses = bench.diagnostics()
    rig = FilterRig(bench, machine="mast")
    motion = DriveMotion(3001, "mast")
    messages = motion.messages()
    rig.feed(messages[:1])
    # the queue of the subscription holds a thousand
    for message in messages[1:]:
        rig.driver.publish(message)
    time.sleep(0.3)  # as a node that is busy
    status = status_with(bench, statuses, "slower than the input")
    assert status.level == WARN
    values = values_of(status)
    assert f"{values['lost']} so far" in status.message
    assert 1500 < int(values["lost"]) <= 2000
    assert "a step takes" in status.message
    assert 0 < float(values["step_mean (ms)"]) < float(values["step_max (ms)"])
    bench.wait(lambda: rig.node.taken + int(values["lost"]) == 3001, "the rest")
    statuses.clear()
    # it ends with its cause; what was lost shows as a gap and harms nothing
    bench.wait(
        lambda: any(
            s.name == "strut_filter: input" and "slower" not in s.message for a in statuses for s in a.status
        ),
        "calm",
    )
    assert rig.counts["gap"] == 1
    for message in rig.output:
        assert np.isfinite([message.coordinate, message.rate, message.acceleration, message.force]).all()


def broken_logs(folder):
    """Logs that cannot be used, and what the one line must say."""
    motion = DriveMotion(500, "mast")
    log = DriveLog(motion.time, motion.length, motion.force)
    write_strut_bag(folder / "truncated", log, struts=motion.names)
    database = folder / "truncated" / "truncated.db3"
    database.write_bytes(database.read_bytes()[:3000])  # before its first message
    with BagWriter(folder / "elsewhere") as writer:
        writer.add_topic("/other", "std_msgs/msg/String")
        writer.write("/other", "std_msgs/msg/String", b"\x00\x01\x00\x00\x02\x00\x00\x00a\x00", 1)
    with BagWriter(folder / "wrong_type") as writer:
        writer.add_topic("/strut_states", "std_msgs/msg/String")
        writer.write("/strut_states", "std_msgs/msg/String", b"\x00\x01\x00\x00\x02\x00\x00\x00a\x00", 1)
    header = ",".join(["t", *(f"{what}_{i}" for what in ("length", "force") for i in (1, 2, 3))])
    rows = [",".join(f"{x:.6f}" for x in [0.001 * k, *motion.length[k], *motion.force[k]]) for k in range(50)]
    rows[30] = rows[30].rpartition(",")[0]
    (folder / "ragged.csv").write_text("\n".join([header, *rows]) + "\n")
    (folder / "binary.csv").write_bytes(bytes(range(256)) * 20)
    (folder / "half.csv.gz").write_bytes(gzip.compress("\n".join([header, *rows[:20]]).encode())[:-30])
    return {
        "truncated": "truncated recording",
        "elsewhere": "no topic is of type sensor_msgs/msg/JointState; there are: /other",
        "wrong_type": "there are: /strut_states (std_msgs/msg/String)",
        "ragged.csv": "line 32",
        "binary.csv": "binary.csv",
        "half.csv.gz": "half.csv.gz",
    }


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    folder = tmp_path_factory.mktemp("broken")
    return folder, broken_logs(folder)


@pytest.mark.parametrize(
    "name", ["truncated", "elsewhere", "wrong_type", "ragged.csv", "binary.csv", "half.csv.gz"]
)
def test_row_27_an_unusable_log_is_one_line_and_nothing_is_half_written(broken, tmp_path, capsys, name):
    folder, texts = broken
    out, document = tmp_path / "out", tmp_path / "mast.json"
    arguments = [
        "identify",
        str(folder / name),
        "--machine",
        "mast",
        "--out",
        str(out),
        "--json",
        str(document),
    ]
    assert main(arguments) == 2
    printed, error = capsys.readouterr()
    assert printed == ""
    assert len(error.strip().splitlines()) == 1
    assert str(folder / name) in error
    assert texts[name] in error
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["truncated", "elsewhere"])
def test_row_27_an_unusable_recording_is_not_played(bench, broken, name):
    folder, _ = broken
    with pytest.raises(PkmError) as caught:
        bench.start(PlayerNode, bag=str(folder / name))
    assert "\n" not in str(caught.value)
    assert str(folder / name) in str(caught.value)
