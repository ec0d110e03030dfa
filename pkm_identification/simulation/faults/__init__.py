# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Faults on request: one small file for each family, `registry` has them all."""

from .kind import Fault, FaultKind
from .registry import FAULTS, fault_list, parse_fault, with_faults

__all__ = ["FAULTS", "Fault", "FaultKind", "fault_list", "parse_fault", "with_faults"]
