# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

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
