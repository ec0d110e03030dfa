# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the demonstration does; without rclpy, as the command's options come from it."""

from __future__ import annotations

from dataclasses import dataclass

from pkm_identification.declared import check, declare

OWN_DOMAIN = -1


@dataclass(frozen=True)
class DemoSettings:
    """What the demonstration does; what an earlier one left in `folder` is replaced."""

    machine: str = declare("uf", "built-in name or YAML file")
    duration: float = declare(45.0, "of the motion", "s", 5, 3600)
    perturbation: float = declare(
        0.15, "how far the true parameters are from the machine's", "", 1e-3, 0.9, option="perturb"
    )
    seed: int = declare(1, "of the true parameters and the noise", low=0)
    folder: str = declare("demo", "bag, logs, figures, report", option="out")
    domain: int = declare(OWN_DOMAIN, f"ROS domain; {OWN_DOMAIN}: one of this process", "", OWN_DOMAIN, 232)
    watch: bool = declare(False, "also serve a page in the browser meanwhile (pkm watch)")

    def __post_init__(self) -> None:
        check(self)
