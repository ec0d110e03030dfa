# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A node that ends leaves the graph at once, not when its lease is over."""

import signal

from pkm_identification.ros.processes.node_process import NodeProcess

LEASE = 20.0  # s, of Fast DDS: so long is a participant that says nothing still thought to be there


def test_an_ended_node_is_no_longer_seen(bench, domain, tmp_path):
    # a namespace of its own: nodes that other tests killed are still in the graph
    name = ("kinematics", "/leaving")
    with NodeProcess("kinematics", domain=domain, folder=tmp_path, namespace="leaving") as node:
        node.wait_active()
        bench.wait(lambda: name in bench.node.get_node_names_and_namespaces(), "the node")
        node.signal(signal.SIGINT)
        assert node.wait(60.0) == 0
        bench.wait(
            lambda: name not in bench.node.get_node_names_and_namespaces(), "the node's farewell", LEASE / 2.0
        )
