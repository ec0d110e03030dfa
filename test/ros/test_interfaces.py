# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the nodes are declared to publish, take and offer is what they have in the graph, by name and type."""

from __future__ import annotations

import importlib.util
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from rclpy.action import get_action_server_names_and_types_by_node
from ros.ros_bench import Bench, Motion

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import DriveLog
from pkm_identification.nodes.catalogue import NODES, node_class
from pkm_identification.nodes.catalogue.node_pages import node_pages
from pkm_identification.nodes.catalogue.security_policy import security_policy
from pkm_identification.records.bags.writer import write_strut_bag
from pkm_identification.ros.interfaces.declarations import COMMON, NODE_INTERFACES
from pkm_identification.ros.interfaces.interface import Interface

DOCS = Path(__file__).resolve().parents[2] / "docs" / "nodes"
SPACE = "/cell"
# what it takes to have everything that is declared
OPTIONS = {
    "strut_filter": {"use_sim_time": True},
    "kinematics": {"publish_joint_states": True, "publish_tf": True},
    "simulator": {"clock": True},
    "player": {"clock": True},
}


def test_the_pages_are_up_to_date():
    remedy = "write them again: python -m pkm_identification.nodes.catalogue.node_pages docs/nodes"
    assert {path.name: path.read_text(encoding="utf-8") for path in DOCS.iterdir()} == node_pages(), remedy


def installed(interface: Interface) -> bool:
    return importlib.util.find_spec(interface.type.partition("/")[0]) is not None


def named(interfaces: Iterable[Interface], node: str) -> dict[str, list[str]]:
    """Full names and types of those whose messages are installed."""
    return {one.full_name(node, SPACE): [one.type] for one in interfaces if installed(one)}


def plain(found: Iterable[tuple[str, list[str]]]) -> dict[str, list[str]]:
    """What there is, without the parts that actions consist of."""
    return {name: types for name, types in found if "/_action/" not in name}


def assert_allowed(node: str, graph: dict[str, dict[str, list[str]]]) -> None:
    """The node's SROS 2 policy allows all that it has, names expanded as sros2 does it."""
    policy = ElementTree.fromstring(security_policy(SPACE))
    (profile,) = policy.findall(f".//enclave[@path='{SPACE}/{node}']/profiles/profile")
    rules = {"publishes": "publish", "subscribes": "subscribe", "services": "reply", "actions": "execute"}
    for kind, verb in rules.items():
        written = [rule.text for rule in profile.findall(f"*[@{verb}='ALLOW']/*")]
        spelled = [Interface(name, "", "").full_name(node, SPACE) for name in written]
        assert set(graph[kind]) <= set(spelled), kind


@pytest.mark.parametrize("name", NODES)
def test_a_running_node_has_what_is_declared_and_nothing_else(bench: Bench, tmp_path, name):
    options = dict(OPTIONS.get(name, {}))
    if name == "player":
        motion = Motion(10)
        write_strut_bag(tmp_path / "bag", DriveLog(motion.time, motion.length, motion.force))
        options["bag"] = str(tmp_path / "bag")
    if name == "simulator":  # with all sensors that have a topic
        sensors = {"imu": {"position": [0.0, 0.0, 0.0]}, "force": {"at": "strut"}}
        options["machine"] = str(tmp_path / "sensors.yaml")
        Path(options["machine"]).write_text(
            yaml.safe_dump(Machine.load("uf").document | {"sensors": sensors})
        )
    if name == "recorder":
        options["output"] = str(tmp_path / "out")
    diagnostics = bench.diagnostics()
    bench.start(node_class(name), cli_args=["--ros-args", "-r", f"__ns:={SPACE}"], **options)
    own, here = NODE_INTERFACES[name], bench.node
    if name == "controller":  # of drives that take forces
        other = "strut_commands/positions"
        own = replace(own, publishes=tuple(one for one in own.publishes if one.name != other))
    common = COMMON.subscribes if options.get("use_sim_time") else ()
    expected = {
        "publishes": named((*own.publishes, *COMMON.publishes), name),
        "subscribes": named((*own.subscribes, *common), name),
        "services": named((*own.services, *COMMON.services), name),
        "actions": named(own.actions, name),
    }

    def graph() -> dict[str, dict[str, list[str]]]:
        who = (name, SPACE)
        return {
            "publishes": plain(here.get_publisher_names_and_types_by_node(*who)),
            "subscribes": plain(here.get_subscriber_names_and_types_by_node(*who)),
            "services": plain(here.get_service_names_and_types_by_node(*who)),
            "actions": plain(get_action_server_names_and_types_by_node(here, *who)),
        }

    try:
        bench.wait(lambda: graph() == expected, "the graph as declared")
    except AssertionError:
        assert graph() == expected
    assert_allowed(name, graph())
    tasks = {f"{SPACE[1:]}/{name}: {task}" for task, _ in (*own.diagnostics, *COMMON.diagnostics)}
    bench.wait(lambda: diagnostics, "diagnostics")
    assert {status.name for status in diagnostics[0].status} == tasks
