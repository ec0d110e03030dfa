"""Faults on request: one small file for each family, `registry` has them all."""

from .kind import Fault, FaultKind
from .registry import FAULTS, fault_list, parse_fault, with_faults
from .setup import Setup

__all__ = ["FAULTS", "Fault", "FaultKind", "Setup", "fault_list", "parse_fault", "with_faults"]
