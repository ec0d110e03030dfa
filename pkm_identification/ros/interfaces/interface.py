# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Interfaces of a node, as they are declared."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Interface:
    """A topic, service or action of a node.

    Attributes
    ----------
    name : str
        Relative to the namespace; '~/' is the node's own name, '/' the root.
    type : str
        Such as sensor_msgs/msg/JointState.
    what : str
    when : str
        Under which circumstances it is there; empty: always while the node is active.
    """

    name: str
    type: str
    what: str
    when: str = ""

    def full_name(self, node: str, namespace: str = "") -> str:
        """Its name in the graph.

        Parameters
        ----------
        node : str
        namespace : str
            Without a slash at its end; empty: the root.
        """
        if self.name.startswith("/"):
            return self.name
        if self.name.startswith("~/"):
            return f"{namespace}/{node}/{self.name[2:]}"
        return f"{namespace}/{self.name}"


@dataclass(frozen=True)
class NodeInterfaces:
    """All that a node has.

    Attributes
    ----------
    publishes, subscribes, services, actions : tuple of Interface
    diagnostics : tuple of (str, str)
        Task of each status, and what it judges.
    """

    publishes: tuple[Interface, ...] = ()
    subscribes: tuple[Interface, ...] = ()
    services: tuple[Interface, ...] = ()
    actions: tuple[Interface, ...] = ()
    diagnostics: tuple[tuple[str, str], ...] = ()
