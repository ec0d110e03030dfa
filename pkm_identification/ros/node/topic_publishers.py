# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Who publishes a topic, by name."""

from __future__ import annotations

from typing import Any

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy


def publisher_names(node: Node, topic: str) -> list[str]:
    """Full names of the nodes that publish a topic, once for each publisher, sorted."""
    return sorted(_name(info) for info in _publishers(node, topic))


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
