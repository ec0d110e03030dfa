"""config/nodes.yaml is what the declarations say, and every node takes its part of it."""

from pathlib import Path

import pytest
import yaml

from pkm_identification.ros.node_base import COMMON
from pkm_identification.ros.parameter_file import NODES, node_class, parameter_file

FILE = Path(__file__).resolve().parents[2] / "config" / "nodes.yaml"


def test_the_file_is_up_to_date():
    remedy = "write it again: python -m pkm_identification.ros.parameter_file > config/nodes.yaml"
    assert FILE.read_text(encoding="utf-8") == parameter_file(), remedy


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
