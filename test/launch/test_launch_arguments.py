# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Every launch file loads, and every argument of it says what it is for."""

import importlib.util
import subprocess
from pathlib import Path

import pytest
from ament_index_python.packages import get_package_share_directory
from launch.actions import DeclareLaunchArgument

from launch import LaunchContext
from pkm_identification.ros.launching import arguments

FOLDER = Path(get_package_share_directory("pkm_identification")) / "launch"
COMMON = {one.name for one in arguments.COMMON}


def description(name):
    path = FOLDER / f"{name}.launch.py"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.generate_launch_description()


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("identify", {*COMMON, "resume", "save_folder", "save_name"}),
        ("simulate", {*COMMON, "trajectory", "duration", "seed", "perturbation", "shutdown_at_end"}),
        ("control", {*COMMON, "perturbation", "mode", "lockstep", "lost_after"}),
        ("replay", {*COMMON, "bag", "rate", "loop", "shutdown_at_end"}),
        ("ros2_control", {*COMMON, "commands", "mode", "hardware", "controllers", "mock"}),
        ("view", {"namespace", "rviz_config", "use_sim_time", "machine", "enclave"}),
    ],
)
def test_arguments_are_described(name, own):
    found = {argument.name: argument for argument in description(name).get_launch_arguments()}
    assert own <= set(found)
    for argument in found.values():
        assert argument.description
        assert argument.description != "no description given"


def launched(name, *given):
    """Exit code and output of the real command."""
    command = ["ros2", "launch", "pkm_identification", f"{name}.launch.py", *given]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    return result.returncode, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("name", "given", "problem"),
    [
        ("identify", "strut_state:=/joint_states", "no argument 'strut_state': did you mean 'strut_states'?"),
        ("simulate", "sample_rate:=fast", "'sample_rate' must be a number, not 'fast'"),
        ("view", "rviz_conf:=mine.rviz", "no argument 'rviz_conf': did you mean 'rviz_config'?"),
        ("replay", "joint_names:=a,,b", "'joint_names' must be names with commas"),
        ("identify", "use_sim_time:=Yes", "'use_sim_time' must be true or false, not 'Yes'"),
        ("identify", "resume:=maybe", "'resume' must be true or false, not 'maybe'"),
    ],
)
def test_what_a_file_cannot_take_is_refused_before_anything_runs(name, given, problem):
    more = ["bag:=none"] if name == "replay" else []
    code, text = launched(name, given, *more)
    assert code == 1
    assert problem in text
    assert "process started" not in text


@pytest.mark.parametrize("name", ["identify", "simulate", "ros2_control"])
@pytest.mark.parametrize("machine", ["nonsense", "mast", "no/such.yaml"])
def test_a_wrong_machine_is_told_once(name, machine):
    code, text = launched(name, f"machine:={machine}")
    assert code == 1
    assert text.count("launch argument 'machine': ") == 1
    assert machine in text
    assert "process started" not in text


def test_a_wrong_machine_of_a_parameter_file_is_told_once(tmp_path):
    path = tmp_path / "nodes.yaml"
    nodes = "".join(f"/**/{name}:\n  ros__parameters:\n    machine: nonsense\n" for name in arguments.CHAIN)
    path.write_text(f"{nodes}/elsewhere/estimator:\n  ros__parameters:\n    machine: not/ours.yaml\n")
    code, text = launched("identify", f"params_file:={path}")
    assert code == 1
    assert text.count("nonsense") == 1
    assert f"{path}: /**/strut_filter: parameter 'machine'" in text
    assert "not/ours" not in text
    assert "process started" not in text


@pytest.mark.parametrize("given", ["True", "true", "TRUE", "1", "False", "0"])
def test_a_switch_is_read_in_any_case(given):
    switched = arguments.read_argument("use_sim_time", arguments.switch, given)
    assert switched == (given.lower() in ("true", "1"))


def test_files_named_as_defaults_are_there():
    for name, argument in (("identify", "params_file"), ("view", "rviz_config")):
        found = next(
            a
            for a in description(name).entities
            if isinstance(a, DeclareLaunchArgument) and a.name == argument
        )
        value = "".join(part.perform(LaunchContext()) for part in found.default_value)
        assert Path(value).is_file()
