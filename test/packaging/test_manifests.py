# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""package.xml, CMakeLists.txt, setup.py and pyproject.toml say the same thing about the same files."""

from __future__ import annotations

import ast
import importlib.util
import itertools
import os
import re
import runpy
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
import yaml

import pkm_identification

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "pkm_identification"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RUFF = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["ruff"]["lint"]
MANIFEST = ElementTree.parse(ROOT / "package.xml").getroot()
CHANGELOG = (ROOT / "CHANGELOG.rst").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
CMAKE = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")

# rosdep's name where it is not python3-<name on PyPI>
ROSDEP = {
    "pyyaml": "python3-yaml",
    "pillow": "python3-pil",
    "rosbags": "python3-rosbags-pip",
    "mujoco": "python3-mujoco-pip",
    "mpmath": "python3-sympy",
    "markupsafe": "python3-jinja2",
    "control": "python-control-pip",
    "filterpy": "python3-filterpy-pip",
    "pin": "pinocchio",
}
ROS_PYTHON = {"rclpy", "ament_index_python", "launch", "launch_ros", "rosidl_runtime_py", "tf2_ros"}


def manifest(*tags: str) -> set[str]:
    return {element.text for tag in tags for element in MANIFEST.iter(tag)}


def imported_packages(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module.split(".")[0])
    return names


def optional_imports(path: Path) -> set[str]:
    """Packages imported inside a try that handles ImportError: used where installed."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Try) and any("Import" in ast.dump(h.type) for h in node.handlers if h.type):
            inner = [
                statement for statement in node.body if isinstance(statement, ast.Import | ast.ImportFrom)
            ]
            names |= {(getattr(s, "module", None) or s.names[0].name).split(".")[0] for s in inner}
    return names


def test_one_name_and_version():
    """pyproject.toml takes it from the package; files that programs read as they are must agree."""
    version = pkm_identification.__version__
    assert MANIFEST.findtext("name") == PROJECT["name"] == pkm_identification.__name__
    assert MANIFEST.findtext("version") == version
    assert "version" in PROJECT["dynamic"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == version
    # the newest section that has a number
    newest = re.search(r"^(\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d)\)$", CHANGELOG, re.MULTILINE)
    assert newest is not None
    assert newest.groups() == (version, citation["date-released"])


def test_release_notes_are_the_section_of_the_changelog():
    notes = runpy.run_path(str(ROOT / ".ci" / "release_notes.py"))["notes"]
    section = notes(CHANGELOG, pkm_identification.__version__)
    assert section.startswith("* One package for colcon and pip")
    assert "----" not in section
    assert "Forthcoming" not in section
    assert section in CHANGELOG
    with pytest.raises(SystemExit, match=r"9\.9\.9"):
        notes(CHANGELOG, "9.9.9")


def test_all_has_every_extra_that_runs_without_ros():
    extras = PROJECT["optional-dependencies"]
    (everything,) = extras["all"]
    named = set(re.fullmatch(r"pkm_identification\[([\w,]+)\]", everything)[1].split(","))
    # what those need who develop it is in none of a user's
    assert named == set(extras) - {"all", "ros", "test", "dev", "docs"}


def test_with_a_repository_the_page_on_pypi_has_whole_addresses(monkeypatch):
    """Pictures and pages beside README.md are not there on PyPI; without a repository there is nowhere to point."""
    setup = runpy.run_path(str(ROOT / "setup.py"), run_name="setup")
    home = "https://example.org/owner/pkm_identification"
    monkeypatch.setenv("PKM_REPOSITORY", home + "/")
    text = setup["long_description"]()
    linked = re.findall(r"\]\(([^)\s]+)\)", text)
    assert len(linked) > 10
    assert all(target.startswith(("https://", "#")) for target in linked)
    pictures = re.findall(r"!\[[^]]*\]\(([^)\s]+)\)", text)
    assert len(pictures) >= 2
    for picture in pictures:
        place = picture.removeprefix(f"{home}/raw/{pkm_identification.__version__}/")
        assert (ROOT / place).is_file(), picture
    assert set(setup["project_urls"]()) == {"Repository", "Issues", "Documentation", "Changelog"}
    monkeypatch.delenv("PKM_REPOSITORY")
    assert setup["long_description"]() == (ROOT / "README.md").read_text(encoding="utf-8")
    assert setup["project_urls"]() == {}


PUBLISHER = runpy.run_path(str(ROOT / ".ci" / "publisher.py"), run_name="publisher")
HOME, PERSON = "https://example.org/owner/pkm_identification", "A. & B. Person <a.person@example.org>"


def test_a_publisher_is_named_in_the_order_of_the_schema_and_once():
    text = (ROOT / "package.xml").read_text(encoding="utf-8")
    for _ in range(2):
        text = PUBLISHER["manifest"](text, HOME + "/", PERSON)
    found = ElementTree.fromstring(text)
    tags = [element.tag for element in found]
    assert tags[3:7] == ["maintainer", "license", "url", "url"]
    assert (found.find("maintainer").text, found.find("maintainer").get("email")) == (
        "A. & B. Person",
        "a.person@example.org",
    )
    urls = {element.get("type"): element.text for element in found.iter("url")}
    assert urls == {"repository": HOME, "bugtracker": HOME + "/issues"}
    assert [tag for tag in tags if tag != "url"] == [
        element.tag for element in MANIFEST if element.tag != "url"
    ]
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    for _ in range(2):
        cited = PUBLISHER["citation"](cited, HOME)
    assert cited.count("repository-code") == 1
    assert yaml.safe_load(cited)["repository-code"] == HOME


@pytest.mark.parametrize(
    ("repository", "maintainer", "message"),
    [("", PERSON, "PKM_REPOSITORY"), ("example.org/x", PERSON, "https://"), (HOME, "Person", "Name <mail>")],
)
def test_a_publisher_without_address_or_mail_is_refused(repository, maintainer, message):
    with pytest.raises(SystemExit, match=message):
        PUBLISHER["manifest"]((ROOT / "package.xml").read_text(encoding="utf-8"), repository, maintainer)


@pytest.mark.parametrize("given", [{}, {"PKM_REPOSITORY": HOME}, {"PKM_MAINTAINER": PERSON}])
def test_all_that_a_publisher_has_not_stated_is_named_at_once(given, monkeypatch):
    for name in ("PKM_REPOSITORY", "PKM_MAINTAINER"):
        monkeypatch.setenv(name, given.get(name, ""))
    with pytest.raises(SystemExit) as ended:
        PUBLISHER["main"]()
    named = str(ended.value).partition(" must be stated")[0]
    assert [name in named for name in ("PKM_REPOSITORY", "PKM_MAINTAINER")] == [
        name not in given for name in ("PKM_REPOSITORY", "PKM_MAINTAINER")
    ]


def test_named_pythons_are_those_ros_wheels_exist_for():
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in ("setup.py", ".ci/system")]
    (bounds,) = {
        re.search(r"\(3, (\d+)\) <= sys\.version_info < \(3, (\d+)\)", text).groups() for text in texts
    }
    lowest, beyond = map(int, bounds)
    named = {
        line.rpartition(" ")[2] for line in PROJECT["classifiers"] if line.startswith("Programming Language")
    }
    assert named == {"3", *(f"3.{minor}" for minor in range(lowest, beyond))}
    assert PROJECT["requires-python"] == f">=3.{lowest}"


def test_licence_is_named_alike_and_present():
    assert MANIFEST.findtext("license") == PROJECT["license"] == "Apache-2.0"
    assert "Version 2.0, January 2004" in (ROOT / "LICENSE").read_text(encoding="utf-8")


def test_every_python_file_begins_with_the_notice_of_the_licence():
    setup = (ROOT / "setup.py").read_text(encoding="utf-8")
    notice = setup[: setup.index('"""')]
    assert notice.startswith("# Copyright ")
    assert f"SPDX-License-Identifier: {PROJECT['license']}\n" in notice
    folders = ("pkm_identification", "test", "benchmarks", "docs", "examples", "launch", "resource")
    files = [path for one in folders for kind in ("py", "cmake") for path in (ROOT / one).rglob(f"*.{kind}")]
    assert len(files) > 1000
    # made by a build of the documentation
    files = [
        path for path in files if not {"_build", "generated", "gallery"} & {*path.relative_to(ROOT).parts}
    ]
    missing = [str(path) for path in files if not path.read_text(encoding="utf-8").startswith(notice)]
    assert not missing


def test_python_dependencies_are_rosdep_dependencies():
    requirements = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["sim"]]
    names = {re.match(r"[\w-]+", requirement)[0] for requirement in requirements}
    keys = {ROSDEP.get(name, f"python3-{name}") for name in names}
    assert keys == {key for key in manifest("depend", "exec_depend") if key.startswith("python3-")}


def test_what_the_tests_need_is_a_rosdep_dependency():
    names = {re.match(r"[\w-]+", requirement)[0] for requirement in PROJECT["optional-dependencies"]["test"]}
    # what is needed to run is there for tests, too (python3-sympy brings mpmath)
    assert {ROSDEP.get(name, f"python3-{name}") for name in names} <= manifest("test_depend", "exec_depend")


def test_no_test_is_skipped_for_a_library_where_make_test_runs():
    """What tests do without where it is missing is in what the Makefile installs for them, with or without ROS."""
    extras = re.search(
        r"^DEVELOPMENT := \.\[\$\(if \$\(CORE_ONLY\),(\w+),ros\),([\w,]+)\]$", MAKEFILE, re.MULTILINE
    )
    assert extras is not None
    wanted = [PROJECT["optional-dependencies"][name] for name in (extras[1], *extras[2].split(","))]
    modules = {"pin": "pinocchio", "dask": "distributed"}
    names = {re.match(r"[\w-]+", one)[0] for one in itertools.chain(PROJECT["dependencies"], *wanted)}
    installed = {modules.get(name, name) for name in names}
    skipping = {
        name
        for path in (ROOT / "test").rglob("*.py")
        for name in re.findall(r"importorskip\(\s*\"(\w+)", path.read_text(encoding="utf-8"))
    }
    assert {"h5py", "plotly", "pyarrow", "websockets"} <= skipping
    # what comes with ROS
    assert skipping - installed == {"rclpy", "control_msgs", "pkm_identification", "simulation_interfaces"}


def test_bloom_takes_every_key_and_messages_need_no_library_of_the_nodes():
    """Keys of pip, which bloom refuses, are behind a condition that it does not set."""
    conditions = {one.text: one.get("condition", "") for one in MANIFEST if one.tag.endswith("depend")}
    of_pip = {name for name in conditions if name.endswith("-pip")}
    assert of_pip == {name for name, condition in conditions.items() if condition == "$PKM_PIP == 1"}
    left_out = {name for name, condition in conditions.items() if condition == "$PKM_INTERFACES_ONLY != 1"}
    assert {"python3-numba", "python3-scipy", "controller_manager", "rviz2"} <= left_out
    assert not left_out & {"python3-numpy", "rosidl_default_runtime", *manifest("depend")}


NO_LIBRARIES = """
import importlib, sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {absent}:
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Absent())
for name in {modules}:
    importlib.import_module(name)
"""


@pytest.mark.parametrize(
    ("absent", "modules"),
    [
        (
            {"numba", "numpy", "scipy", "mujoco", "rosbags", "matplotlib"},
            ["pkm_identification", "pkm_identification.version"],
        ),
        (
            {"mujoco", "rosbags", "matplotlib"},
            [
                "pkm_identification.identification.online.pipeline",
                "pkm_identification.records.clocks",
                "pkm_identification.control.controller",
                "pkm_identification.cli",
            ],
        ),
    ],
    ids=["messages", "nodes"],
)
def test_what_a_distribution_does_not_package_is_loaded_by_those_who_need_it_alone(absent, modules):
    script = NO_LIBRARIES.format(absent=absent, modules=modules)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_core_import_is_a_declared_dependency():
    names = {re.match(r"[\w-]+", requirement)[0] for requirement in PROJECT["dependencies"]}
    owners = {
        module: {owner.lower() for owner in found} for module, found in packages_distributions().items()
    }
    modules = {module for module, found in owners.items() if found & names} | {"pkm_identification"}
    for path in SOURCES.rglob("*.py"):
        if path.relative_to(SOURCES).parts[0] in ("ros", "nodes"):
            continue
        foreign = imported_packages(path) - set(sys.stdlib_module_names) - modules - optional_imports(path)
        foreign = {name for name in foreign if name not in ROS_PYTHON and not name.endswith("_msgs")}
        foreign -= {"backports", "compression", "lz4"}  # rosbags brings them; Python 3.14 has zstd itself
        assert not foreign, (
            f"{path.relative_to(ROOT)} imports {foreign}, not in pyproject.toml's dependencies"
        )


def test_every_ros_import_is_declared_in_package_xml():
    declared = manifest("depend", "exec_depend")
    for path in [*(SOURCES / "ros").rglob("*.py"), *(SOURCES / "nodes").rglob("*.py")]:
        used = imported_packages(path) - optional_imports(path)
        used = {n for n in used if n in ROS_PYTHON or n.endswith(("_msgs", "_srvs", "_interfaces"))}
        assert used <= declared, f"{path.relative_to(ROOT)} imports {used - declared}, not in package.xml"


def test_every_interface_is_generated():
    listed = set(re.findall(r'"((?:msg|srv|action)/\w+\.(?:msg|srv|action))"', CMAKE))
    present = {
        f"{kind}/{p.name}" for kind in ("msg", "srv", "action") for p in (ROOT / kind).glob(f"*.{kind}")
    }
    assert listed == present
    assert present


def test_message_packages_found_by_cmake_are_dependencies():
    found = set(re.findall(r"find_package\((\w+_msgs) (?:REQUIRED|QUIET)\)", CMAKE))
    assert found == manifest("depend")


def test_control_msgs_of_a_ros_installation_wins(tmp_path):
    """It is generated only where no prefix has it, but for the one an earlier build of this package made."""
    spec = importlib.util.spec_from_file_location("pkm_setup", ROOT / "setup.py")
    build = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build)
    ours, theirs = tmp_path / "venv", tmp_path / "opt"
    for prefix in (ours, theirs):
        (prefix / "share" / "control_msgs").mkdir(parents=True)
    shipped = (ROOT / "resource" / "control_msgs" / "package.xml").read_text(encoding="utf-8")
    (ours / "share" / "control_msgs" / "package.xml").write_text(shipped, encoding="utf-8")
    assert not build.has_control_msgs([ours, theirs])
    (theirs / "share" / "control_msgs" / "package.xml").write_text(
        "<name>control_msgs</name>", encoding="utf-8"
    )
    assert build.has_control_msgs([ours, theirs])


def test_shipped_control_msgs_are_complete_and_licensed():
    folder = ROOT / "resource" / "control_msgs"
    listed = set(
        re.findall(r'"((?:msg|action)/\w+\.\w+)"', (folder / "CMakeLists.txt").read_text(encoding="utf-8"))
    )
    present = {f"{path.parent.name}/{path.name}" for path in folder.glob("*/*")}
    assert listed == present
    assert "Redistribution and use in source and binary forms" in (folder / "LICENSE").read_text(
        encoding="utf-8"
    )
    assert "resource/control_msgs/LICENSE" in PROJECT["license-files"]


def test_ament_pep257_asks_of_docstrings_what_ruff_does():
    convention, left_out = re.search(
        r"ament_pep257\(\s*--convention (\w+)\s*--add-ignore ([\w ]+)", CMAKE
    ).groups()
    missing = {f"D10{kind}" for kind in range(8)}  # D1 of ruff
    assert convention == RUFF["pydocstyle"]["convention"]
    assert {*left_out.split()} == missing | {
        code for code in RUFF["ignore"] if re.fullmatch(r"D\d+", code)
    } - {"D1"}


def test_every_node_has_an_executable():
    listed = set(re.search(r"foreach\(name ([\w ]+)\)", CMAKE)[1].split())
    nodes = set()
    for path in (SOURCES / "nodes").glob("*.py"):
        body = ast.parse(path.read_text(encoding="utf-8")).body
        # pages made from the declarations have a main of their own, without arguments of ROS
        if any(isinstance(node, ast.FunctionDef) and node.name == "main" and node.args.args for node in body):
            nodes.add(path.stem)
    assert listed == nodes


def test_every_folder_of_modules_is_a_package():
    for path in SOURCES.rglob("*.py"):
        assert (path.parent / "__init__.py").is_file(), (
            f"{path.parent.relative_to(ROOT)}: no __init__.py, not installed"
        )


def test_data_beside_modules_has_a_packaged_suffix():
    setup = (ROOT / "setup.py").read_text(encoding="utf-8")
    patterns = re.search(r"package_data=\{\s*\"\": \[(.*?)\]", setup, re.DOTALL)[1]
    suffixes = {Path(name).suffix for name in re.findall(r'"([^"]+)"', patterns)} | {".py"}
    for path in SOURCES.rglob("*"):
        hidden = any(part.startswith((".", "__pycache__")) for part in path.relative_to(SOURCES).parts)
        if path.is_file() and not hidden and path.name != "py.typed":
            assert path.suffix in suffixes, (
                f"{path.relative_to(ROOT)} would not be installed (setup.py: package_data)"
            )
