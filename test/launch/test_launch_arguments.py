"""Every launch file loads, and every argument of it says what it is for."""

import importlib.util
from pathlib import Path

import pytest
from ament_index_python.packages import get_package_share_directory
from launch.actions import DeclareLaunchArgument

from launch import LaunchContext

FOLDER = Path(get_package_share_directory("pkm_identification")) / "launch"
COMMON = {"namespace", "machine", "params_file", "use_sim_time", "log_level", "executor", "joint_states"}


def description(name):
    path = FOLDER / f"{name}.launch.py"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.generate_launch_description()


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("identify", COMMON),
        ("simulate", {*COMMON, "trajectory", "duration", "seed", "perturbation", "shutdown_at_end"}),
        ("control", {*COMMON, "perturbation", "mode", "lockstep", "lost_after"}),
        ("replay", {*COMMON, "bag", "rate", "loop", "shutdown_at_end"}),
        ("view", {"namespace", "rviz_config", "use_sim_time", "machine"}),
    ],
)
def test_arguments_are_described(name, own):
    arguments = {argument.name: argument for argument in description(name).get_launch_arguments()}
    assert own <= set(arguments)
    for argument in arguments.values():
        assert argument.description
        assert argument.description != "no description given"


def test_files_named_as_defaults_are_there():
    for name, argument in (("identify", "params_file"), ("view", "rviz_config")):
        found = next(
            a
            for a in description(name).entities
            if isinstance(a, DeclareLaunchArgument) and a.name == argument
        )
        value = "".join(part.perform(LaunchContext()) for part in found.default_value)
        assert Path(value).is_file()
