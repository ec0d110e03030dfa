# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

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
