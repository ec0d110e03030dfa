# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""A start that compiles says so, once; every start says how long it took."""

from pkm_identification.numerics.compiled import compile_inline
from pkm_identification.ros.node.pipeline_node import PipelineNode


@compile_inline
def twice(x):
    return 2.0 * x


class Probe(PipelineNode):
    NAME = "probe"

    def build(self):
        with self.compiling():
            twice(1.0)


def test_what_is_compiled_is_announced_at_the_first_start_alone(bench, capfd):
    for announced in (1, 0):
        probe = bench.start(Probe)
        said = capfd.readouterr().err
        assert said.count("compiling kernels: a minute or more") == announced
        assert said.count("active; configured in ") == 1
        bench.stop(probe)
