# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Who publishes a topic, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

GID_SIZE = 16  # bytes that both kinds of identity have; Humble and Iron fill up with zeros


def publisher_of(info: Mapping[str, Any]) -> bytes | None:
    """Return the identity of who sent a message, from what came with it; None where the middleware does not say."""
    gid = info.get("publisher_gid")
    data = gid["data"] if isinstance(gid, dict) else gid
    return bytes(data[:GID_SIZE]) if isinstance(data, bytes) else None


def publishers_by_identity(node: Node, topic: str) -> dict[bytes, str]:
    """Return the publishers of a topic: full names of their nodes by identity."""
    return {bytes(info.endpoint_gid[:GID_SIZE]): _name(info) for info in _publishers(node, topic)}


def namesakes(node: Node) -> int:
    """Return how many other nodes have the full name of a node."""
    return node.get_node_names_and_namespaces().count((node.get_name(), node.get_namespace())) - 1


def qos_complaints(node: Node, topic: str, wanted: QoSProfile) -> list[str]:
    """One sentence for each publisher whose messages a subscription with this quality of service never gets."""
    complaints = []
    for info in _publishers(node, topic):
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


def _publishers(node: Node, topic: str) -> list[Any]:
    return node.get_publishers_info_by_topic(node.resolve_topic_name(topic))


def _name(info: Any) -> str:
    return f"{info.node_namespace.rstrip('/')}/{info.node_name}"
