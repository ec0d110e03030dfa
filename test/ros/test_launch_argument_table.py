# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

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
