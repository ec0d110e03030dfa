# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The nodes on real topics: what is lost, how late results are, what it costs, whether memory grows."""

from __future__ import annotations

from pkm_identification.mechanisms.hexapod.machine import Machine

from ..results import Effort, Findings


def measure(machine: Machine, effort: Effort, findings: Findings) -> None:
    """Run the scenarios; without ROS 2 a remark says why there is nothing to tell."""
    try:
        import rclpy  # noqa: F401

        import pkm_identification.msg  # noqa: F401
    except ImportError as error:
        findings.remarks.append(f"Nodes on real topics: not measured, ROS 2 is not installed ({error}).")
        return
    from .scenarios import run_all

    findings.streams += run_all(effort)
