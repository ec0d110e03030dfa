# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""ros2_control.launch.py starts a controller manager that reads its robot description from the topic alone.

The controller manager, its spawner and robot_state_publisher are stand-ins (`stand_ins`).
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import rclpy
import rclpy.executors
from ament_index_python.packages import get_package_share_directory
from processes import wait
from ros.domains import DOMAIN

from pkm_identification.cli import main
from pkm_identification.msg import PlatformState
from pkm_identification.ros.qos import STREAM

HERE = Path(__file__).parent / "stand_ins"
EXECUTABLES = {
    "controller_manager": ("ros2_control_node", "spawner"),
    "robot_state_publisher": ("robot_state_publisher",),
    "joint_state_broadcaster": (),
    "forward_command_controller": (),
}
URDF = Path(
    get_package_share_directory("pkm_identification"), "config/ros2_control/hexapod.ros2_control.urdf"
)

PATIENCE = 300.0  # s for six processes to start, which may compile


@pytest.fixture
def prefix(tmp_path):
    """A prefix in which the stand-ins are installed as packages."""
    index = tmp_path / "prefix/share/ament_index/resource_index/packages"
    index.mkdir(parents=True)
    for package, programs in EXECUTABLES.items():
        (index / package).touch()
        for program in programs:
            script = tmp_path / "prefix/lib" / package / program
            script.parent.mkdir(parents=True, exist_ok=True)
            source = (HERE / f"{program}.py").read_text(encoding="utf-8")
            script.write_text(f"#!{sys.executable}\n{source}", encoding="utf-8")
            script.chmod(0o755)
    return tmp_path / "prefix"


class Launched:
    """ros2_control.launch.py with arguments, in a session of its own."""

    def __init__(self, log, prefix, *arguments):
        self.log = log
        path = os.pathsep.join(filter(None, [str(prefix), os.environ.get("AMENT_PREFIX_PATH", "")]))
        command = ["ros2", "launch", "pkm_identification", "ros2_control.launch.py", *arguments]
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, "AMENT_PREFIX_PATH": path},
                start_new_session=True,
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            )

    @property
    def text(self):
        return self.log.read_text(encoding="utf-8", errors="replace")

    def says(self, *texts):
        end = time.monotonic() + PATIENCE
        while not all(one in self.text for one in texts) and self.process.poll() is None:
            if time.monotonic() > end:
                break
            time.sleep(0.1)
        assert all(one in self.text for one in texts), self.text

    def end(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGINT)
            self.process.wait(60)


@pytest.fixture
def launch(tmp_path, prefix):
    started = []

    def start(*arguments):
        started.append(Launched(tmp_path / f"log_{len(started)}", prefix, *arguments))
        return started[-1]

    yield start
    for one in started:
        one.end()


@pytest.mark.slow
def test_a_machine_that_is_no_hexapod_is_driven_by_its_own_export(launch, tmp_path):
    """A delta: motors are no joints of its tree by the drives' names, and controllers name three of them."""
    machine, hardware = tmp_path / "delta.yaml", tmp_path / "delta.urdf"
    assert main(["init", str(machine), "--kind", "delta"]) == 0
    export = ["export", "--machine", str(machine), "--format", "ros2_control", "--out", str(hardware)]
    assert main(export) == 0
    arguments = ("mock:=True", "commands:=efforts", "sample_rate:=100")
    launched = launch(f"machine:={machine}", f"hardware:={hardware}", *arguments)
    launched.says(
        "description of delta, mock_components/GenericSystem",
        "joints missing in the URDF: []",
        "effort_controller commands effort of 3 joints",
        "spawned joint_state_broadcaster effort_controller in /: True",
        "commanded 3 efforts",
    )


@pytest.mark.slow
def test_drives_that_go_to_places_by_themselves_get_coordinates(launch, tmp_path):
    """Four servo cylinders and a vane motor, whose controller of ros2_control is the one of positions."""
    hardware = tmp_path / "epaas.urdf"
    export = ["export", "--machine", "epaas_hydraulic", "--format", "ros2_control", "--out", str(hardware)]
    assert main(export) == 0
    arguments = ("mock:=True", "commands:=coordinates", "sample_rate:=100")
    launch("machine:=epaas_hydraulic", f"hardware:={hardware}", *arguments).says(
        "position_controller commands position of 5 joints",
        "commanded 5 positions",
    )


@pytest.mark.slow
def test_the_manager_gets_its_description_from_the_topic(launch):
    arguments = [f"hardware:={URDF}", "mock:=True", "commands:=efforts", "sample_rate:=100"]
    namespaces = ["", "cell_4"]
    both = [launch(*arguments, *([f"namespace:={one}"] if one else [])) for one in namespaces]
    for launched, namespace in zip(both, namespaces, strict=True):
        launched.says(
            "description of uf, mock_components/GenericSystem",
            "joints missing in the URDF: []",
            "update rate 1000",
            "effort_controller commands effort of 6 joints",
            f"spawned joint_state_broadcaster effort_controller in /{namespace}: True",
            "commanded 6 efforts",
        )
    context = rclpy.Context()
    rclpy.init(args=[], context=context, domain_id=DOMAIN)
    try:
        node = rclpy.create_node("listener", context=context)
        executor = rclpy.executors.SingleThreadedExecutor(context=context)
        executor.add_node(node)
        for prefix in ("", "/cell_4"):
            poses = []
            node.create_subscription(PlatformState, f"{prefix}/platform_state", poses.append, STREAM)
            wait(lambda poses=poses: executor.spin_once(0.1) or poses, "poses of the mock hardware")
            assert poses[0].status == PlatformState.OK
            assert node.count_publishers(f"{prefix}/joint_states") == 1
    finally:
        rclpy.shutdown(context=context)
    assert not any("publishers on" in launched.text for launched in both)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda text: re.sub(r"<joint name=.strut_3. type.*\n", "", text), "drives strut_3, expected joints"),
        (
            lambda text: re.sub(r"(?s)<ros2_control name.*</ros2_control>", "", text),
            "no <ros2_control> element",
        ),
        (lambda text: text[:-20], "no element found|unclosed token|mismatched tag"),
    ],
    ids=["a joint is missing", "no element", "cut off"],
)
def test_a_description_no_manager_takes_is_refused_before_anything_runs(launch, tmp_path, change, problem):
    path = tmp_path / "machine.urdf"
    path.write_text(change(URDF.read_text(encoding="utf-8")), encoding="utf-8")
    launched = launch(f"hardware:={path}")
    assert launched.process.wait(60) == 1
    assert re.search(problem, launched.text)
    assert "process started" not in launched.text


@pytest.mark.parametrize(
    ("machine", "commands", "instead"),
    [("epaas_hydraulic", "efforts", "coordinates"), ("mast", "coordinates", "efforts")],
)
def test_commands_that_move_no_drive_are_refused_with_those_that_do(launch, machine, commands, instead):
    launched = launch(f"machine:={machine}", f"commands:={commands}")
    assert launched.process.wait(60) == 1
    assert f"'commands': {commands} would not move {machine}" in launched.text
    assert f"give commands:={instead}" in launched.text
    assert "process started" not in launched.text


def test_what_is_not_installed_is_named(launch, prefix):
    (prefix / "share/ament_index/resource_index/packages/forward_command_controller").unlink()
    launched = launch(f"hardware:={URDF}")
    assert launched.process.wait(60) == 1
    assert "forward_command_controller not installed" in launched.text
