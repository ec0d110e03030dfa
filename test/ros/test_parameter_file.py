# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""config/nodes.yaml and docs/parameters.md are what the declarations say, and every node takes its part of the file."""

from pathlib import Path

import pytest
import yaml

from pkm_identification.nodes.catalogue import NODES, node_class
from pkm_identification.nodes.catalogue.parameter_file import parameter_file
from pkm_identification.nodes.catalogue.parameter_page import parameter_docs
from pkm_identification.ros.parameters.declarations import COMMON

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "config" / "nodes.yaml"
RCLPY = ("use_sim_time", "start_type_description_service", "qos_overrides")
DOCS = ROOT / "docs" / "parameters.md"


def test_the_file_is_up_to_date():
    remedy = "write it again: python -m pkm_identification.nodes.catalogue.parameter_file > config/nodes.yaml"
    assert FILE.read_text(encoding="utf-8") == parameter_file(), remedy


def test_the_documentation_is_up_to_date():
    remedy = (
        "write it again: python -m pkm_identification.nodes.catalogue.parameter_page > docs/parameters.md"
    )
    assert DOCS.read_text(encoding="utf-8") == parameter_docs(), remedy


@pytest.mark.parametrize("name", NODES)
def test_every_parameter_of_a_running_node_is_documented(bench, name):
    node = bench.start(node_class(name), bring_up=False)
    rows = DOCS.read_text(encoding="utf-8").partition("## All nodes")[2]
    rows = rows.partition("## ")[0] + rows.partition(f"## `{name}`")[2].partition("## ")[0]
    # those of rclpy are not ours
    ours = [p for p in node.list_parameters([], 0).names if p.partition(".")[0] not in RCLPY]
    assert ours
    for parameter in ours:
        assert f"| `{parameter}` |" in rows
        assert node.describe_parameter(parameter).description


@pytest.mark.parametrize("name", NODES)
def test_every_parameter_is_there_with_its_default_and_described(name):
    specs = (*COMMON, *node_class(name).PARAMETERS)
    assert len({spec.name for spec in specs}) == len(specs)
    for spec in specs:
        assert spec.description
        assert spec.check(spec.default) is None
    values = yaml.safe_load(FILE.read_text(encoding="utf-8"))[f"/**/{name}"]["ros__parameters"]
    assert values == {spec.name: spec.default for spec in specs}


@pytest.mark.parametrize("name", ["strut_filter", "kinematics", "estimator", "simulator"])
def test_nodes_start_with_the_file_in_any_namespace(bench, name):
    arguments = ["--ros-args", "--params-file", str(FILE), "-r", "__ns:=/some/where"]
    node = bench.start(node_class(name), cli_args=arguments)
    assert not node.parameter.unknown()
    assert node.get_namespace() == "/some/where"
