# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The table of launch arguments: each that is a node's parameter is declared by that node."""

import pytest

from pkm_identification.nodes.catalogue import NODES, node_class
from pkm_identification.ros.launching.arguments import COMMON, EVERY_NODE
from pkm_identification.ros.parameters.declarations import COMMON as OF_ALL_NODES


def test_nodes_are_those_that_a_launch_file_starts():
    assert set(EVERY_NODE) <= set(NODES)


@pytest.mark.parametrize("argument", [one for one in COMMON if one.nodes], ids=lambda one: one.name)
def test_an_argument_is_a_parameter_of_all_its_nodes(argument):
    for name in argument.nodes:
        declared = {spec.name for spec in (*OF_ALL_NODES, *node_class(name).PARAMETERS)}
        assert argument.name in declared
