# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The nodes of this package by name."""

from __future__ import annotations

from importlib import import_module

from pkm_identification.ros.node.pipeline_node import PipelineNode

NODES = {
    "strut_filter": "StrutFilterNode",
    "kinematics": "KinematicsNode",
    "estimator": "EstimatorNode",
    "controller": "ControllerNode",
    "simulator": "SimulatorNode",
    "recorder": "RecorderNode",
    "player": "PlayerNode",
}


def node_class(name: str) -> type[PipelineNode]:
    """Class of a node by its name."""
    return getattr(import_module(f"pkm_identification.nodes.{name}"), NODES[name])
