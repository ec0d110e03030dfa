# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Who publishes a topic and who listens to it, by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

GID_SIZE = 16  # bytes that both kinds of identity have; Humble and Iron fill up with zeros


def publisher_of(info: Mapping[str, Any]) -> bytes | None:
    """Return the identity of who sent a message, from what came with it; None where the middleware does not say."""
    gid = info.get("publisher_gid")
    data = gid["data"] if isinstance(gid, dict) else gid
    return bytes(data[:GID_SIZE]) if isinstance(data, bytes) else None


def publishers_by_identity(node: Node, topic: str, kind: str) -> dict[bytes, str]:
    """Return the publishers of a topic that send messages of a type: full names of their nodes by identity."""
    return {
        bytes(info.endpoint_gid[:GID_SIZE]): _name(info)
        for info in _list_publishers(node, topic)
        if info.topic_type == kind
    }


def find_rivals(node: Node, publishers: Iterable[Any]) -> list[str]:
    """Return the full names of the nodes that send on topics of publishers, sorted; empty where those are alone.

    The kinematics node of the namespace is there with every controller, and sends when it is given a pose alone: who
    receives that names it.
    """
    names: Counter[str] = Counter()
    for one in publishers:
        names |= Counter(_name(info) for info in node.get_publishers_info_by_topic(one.topic_name))
    del names[f"{node.get_namespace().rstrip('/')}/kinematics"]
    return sorted(names.elements()) if names.total() > 1 else []


def is_heard(node: Node, wanted: str) -> bool:
    """Return whether somebody subscribes to `TOPIC`, or the node NODE of the same namespace to `NODE:TOPIC`.

    The form with a node is for who waits until it is active: whoever looks on (a viewer, a recorder) subscribes, too.
    """
    name, _, topic = wanted.rpartition(":")
    if not name:
        return node.count_subscribers(topic) > 0
    full = f"{node.get_namespace().rstrip('/')}/{name}"
    return full in map(_name, node.get_subscriptions_info_by_topic(node.resolve_topic_name(topic)))


def namesakes(node: Node) -> int:
    """Return how many other nodes have the full name of a node."""
    return node.get_node_names_and_namespaces().count((node.get_name(), node.get_namespace())) - 1


def format_mismatch_complaints(node: Node, topic: str, kind: str, wanted: QoSProfile) -> list[str]:
    """Return a sentence for each publisher whose messages a subscription of this type and quality never gets."""
    complaints = []
    for info in _list_publishers(node, topic):
        if info.topic_type != kind:
            complaints.append(
                f"messages of {_name(info)} on '{topic}' do not arrive: they are {info.topic_type}, expected {kind}"
            )
            continue
        offered, needed = info.qos_profile, []
        if (offered.reliability, wanted.reliability) == (
            ReliabilityPolicy.BEST_EFFORT,
            ReliabilityPolicy.RELIABLE,
        ):
            needed.append("reliable")
        if (offered.durability, wanted.durability) == (
            DurabilityPolicy.VOLATILE,
            DurabilityPolicy.TRANSIENT_LOCAL,
        ):
            needed.append("transient local")
        if needed:
            complaints.append(
                f"messages of {_name(info)} on '{topic}' do not arrive: its quality of service is not "
                f"{' and '.join(needed)}"
            )
    return complaints


def _list_publishers(node: Node, topic: str) -> list[Any]:
    return node.get_publishers_info_by_topic(node.resolve_topic_name(topic))


def _name(info: Any) -> str:
    return f"{info.node_namespace.rstrip('/')}/{info.node_name}"
