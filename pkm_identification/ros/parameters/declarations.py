# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Declarations of node parameters: type, unit, range and the moment they may change."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    ParameterType,
)

from pkm_identification.declared import Declaration
from pkm_identification.errors import SettingsError
from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.records.channels import build_drive_channels
from pkm_identification.records.foreign.units import find_factor, units_by_quantity

Value = bool | int | float | str | list[float] | list[str]

_TYPES: dict[type, tuple[int, str]] = {
    bool: (ParameterType.PARAMETER_BOOL, "true or false"),
    int: (ParameterType.PARAMETER_INTEGER, "an integer"),
    float: (ParameterType.PARAMETER_DOUBLE, "a number"),
    str: (ParameterType.PARAMETER_STRING, "text"),
}
_ARRAYS: dict[type, tuple[int, str]] = {
    float: (ParameterType.PARAMETER_DOUBLE_ARRAY, "a list of numbers"),
    str: (ParameterType.PARAMETER_STRING_ARRAY, "a list of texts"),
}


class ParameterError(SettingsError):
    """A parameter that cannot be used: names it, its value and what is allowed."""


@dataclass(frozen=True)
class ParameterSpec:
    """One parameter of a node.

    Attributes
    ----------
    name : str
    default : bool, int, float, str, list of float or list of str
        Also fixes the type. A list must not be empty: its first entry fixes the type of the rest.
    description : str
    unit : str
        Empty where the parameter has none.
    low, high : float, optional
        Smallest and largest number allowed.
    choices : tuple of str
        The only texts allowed; empty for any.
    ending : str
        Of a file's name that is allowed in addition to the choices; empty for none.
    live : bool
        Whether it may change while the node runs. Others are read when the node is configured and may
        change only before that.
    read_only : bool
        Whether it is read once, at the start of the process, and never changes.
    """

    name: str
    default: Value
    description: str
    unit: str = ""
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    ending: str = ""
    live: bool = False
    read_only: bool = False

    @classmethod
    def of(cls, declaration: Declaration, live: bool = False, **changes: Any) -> ParameterSpec:
        """Return the parameter of a declared setting; `changes` replaces what is otherwise for the node."""
        spec = cls(
            declaration.name,
            declaration.default,
            declaration.help,
            declaration.unit,
            declaration.low,
            declaration.high,
            declaration.choices,
            declaration.ending,
            live,
        )
        return replace(spec, **changes)

    @property
    def when(self) -> str:
        """When a new value is taken, for documentation."""
        if self.read_only:
            return "at start only"
        return "at any time" if self.live else "when configured"

    @property
    def kind(self) -> tuple[int, str]:
        """Parameter type of ROS and its name for people."""
        if isinstance(self.default, list):
            return _ARRAYS[type(self.default[0])]
        return _TYPES[type(self.default)]

    @property
    def allowed(self) -> str:
        """What is allowed, for messages and documentation."""
        unit = f" {self.unit}" if self.unit else ""
        if self.choices:
            file = f", or a {self.ending} file" if self.ending else ""
            return f"one of {', '.join(repr(choice) for choice in self.choices)}{file}"
        if self.low is not None and self.high is not None:
            return f"between {self.low:g} and {self.high:g}{unit}"
        if self.low is not None:
            return f"at least {self.low:g}{unit}"
        if self.high is not None:
            return f"at most {self.high:g}{unit}"
        return f"{self.kind[1]}{unit and ' in' + unit}"

    def descriptor(self, with_range: bool = True) -> ParameterDescriptor:
        """ROS descriptor: what `ros2 param describe` shows."""
        descriptor = ParameterDescriptor(
            name=self.name,
            type=self.kind[0],
            description=self.description + (f" [{self.unit}]" if self.unit else ""),
            additional_constraints=f"{self.allowed}; read {self.when}",
            read_only=self.read_only,
            # Our own check accepts 50 for 50.0, which a YAML file may hold, and names the range.
            dynamic_typing=True,
        )
        low = -math.inf if self.low is None else self.low
        high = math.inf if self.high is None else self.high
        if with_range and math.isfinite(low) and math.isfinite(high):
            if isinstance(self.default, float):
                descriptor.floating_point_range = [
                    FloatingPointRange(from_value=float(low), to_value=float(high))
                ]
            elif isinstance(self.default, int) and not isinstance(self.default, bool):
                descriptor.integer_range = [IntegerRange(from_value=int(low), to_value=int(high), step=1)]
        return descriptor

    def check(self, value: Any) -> str | None:
        """Return why a value is refused, or None."""
        if not self._type_fits(value):
            return f"parameter '{self.name}' = {value!r}: must be {self.kind[1]}{self._hint(value)}"
        values = value if isinstance(self.default, list) else [value]
        for entry in values:
            if isinstance(entry, float) and not math.isfinite(entry):
                return f"parameter '{self.name}' = {value!r}: must be finite"
            too_low = self.low is not None and entry < self.low
            too_high = self.high is not None and entry > self.high
            if too_low or too_high or not self._chosen(entry):
                return f"parameter '{self.name}' = {value!r}: must be {self.allowed}"
        return None

    def convert(self, value: Any) -> Any:
        """Return a checked value as the type of the default."""
        if isinstance(self.default, list):
            return [type(self.default[0])(entry) for entry in value]
        return type(self.default)(value)

    def _chosen(self, entry: Any) -> bool:
        """Return whether it is one of the choices, or a file next to them."""
        return not self.choices or entry in self.choices or bool(self.ending and entry.endswith(self.ending))

    def _hint(self, value: Any) -> str:
        """Return how to write a number that YAML takes for a text: it wants a dot, and the sign of the power."""
        if not (isinstance(self.default, float) and isinstance(value, str)):
            return ""
        mantissa, power = [*value.strip().lower().split("e"), ""][:2]
        try:
            float(value), int(power)
        except ValueError:
            return ""
        dotted = mantissa if "." in mantissa else f"{mantissa}.0"
        signed = power if power[0] in "+-" else f"+{power}"
        return f"; YAML takes this for a text: write {dotted}e{signed}"

    def _type_fits(self, value: Any) -> bool:
        if isinstance(self.default, list):
            # An empty list in YAML has no type; an array arrives as array.array.
            if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
                return False
            return all(_is_scalar_allowed(self.default[0], entry) for entry in value)
        return _is_scalar_allowed(self.default, value)


# One that may change while the node runs.
LiveParameter = partial(ParameterSpec, live=True)


def _is_scalar_allowed(default: Any, value: Any) -> bool:
    if isinstance(default, bool) or isinstance(value, bool):
        return isinstance(default, bool) and isinstance(value, bool)
    if isinstance(default, float):
        return isinstance(value, (int, float))
    return isinstance(value, type(default))


# What every node has.
COMMON = (
    ParameterSpec(
        "machine_id",
        "",
        "which machine the diagnostics are about (hardware_id); empty: namespace and name of the machine",
    ),
    ParameterSpec(
        "autostart",
        True,
        "configure and activate at start, without a life cycle manager",
        read_only=True,
    ),
    ParameterSpec(
        "executor",
        "single_threaded",
        "who calls the callbacks; 'events' is rclpy's own for many entities, where it has one, and costs as much",
        choices=("single_threaded", "events"),
        read_only=True,
    ),
)
MACHINE = ParameterSpec(
    "machine", "uf", "built-in machine (uf, mast, epaas, ...) or path of a machine YAML file"
)
WAIT_FOR = ParameterSpec(
    "wait_for", [""], "who must listen before the start: TOPIC for anybody, NODE:TOPIC for that node"
)
JOINT_NAMES = ParameterSpec(
    "joint_names",
    [""],
    "joint names of the drives in the machine's order, in and out; empty: the machine file's",
)
# What a driver's joint states are in where they are no coordinates in m or rad and no forces in N or N m
LENGTH_AT_ZERO = ParameterSpec(
    "length_at_zero",
    [0.0],
    "coordinate in m or rad where joint states have 0, as of strokes: one for all drives, or one of each",
)
EFFORT_UNIT = ParameterSpec(
    "effort_unit",
    "",
    "what efforts are in, as %, permille, A, kN; empty: N and N m. The machine file says what makes forces of them",
)
SAMPLE_RATE = 1000.0  # Hz, of a machine that states none: samples of another rate are told, and not passed on


def sample_rate_of(topic: str) -> ParameterSpec:
    """Return the parameter `sample_rate` of a node that takes a topic."""
    what = f"rate of {topic}; 0: the machine file's, {SAMPLE_RATE:g} Hz where it states none"
    return ParameterSpec("sample_rate", 0.0, what, "Hz", 0, 1e5)


def read_period(machine: Machine, rate: float) -> float:
    """Return the sample period in s for the parameter `sample_rate` in Hz."""
    return 1.0 / (rate or machine.sample_rate or SAMPLE_RATE)


def read_joint_names(own: Sequence[str], given: Sequence[str]) -> tuple[str, ...]:
    """Return the joint names of the drives: the parameter's, else the machine's own.

    Raises
    ------
    ParameterError
        If they are not as many different names as drives.
    """
    names = tuple(name for name in given if name) or tuple(own)
    if len(names) != len(own) or len(set(names)) != len(own):
        raise ParameterError(
            f"parameter 'joint_names' = {list(given)}: must be {len(own)} different joint names"
        )
    return names


def read_reports(machine: Machine, values: Mapping[str, Any]) -> tuple[FloatArray, FloatArray]:
    """Return what is added to positions (n,), m or rad, and what efforts (n,) are multiplied by.

    Raises
    ------
    ParameterError
        If there are not as many numbers as drives, or the machine file does not make a force of the unit.
    """
    count, given, unit = len(machine.drives), values[LENGTH_AT_ZERO.name], values[EFFORT_UNIT.name]
    if len(given) not in (1, count):
        raise ParameterError(f"parameter 'length_at_zero' = {list(given)}: must be one number, or {count}")
    channels = build_drive_channels(machine.drives)
    try:
        units = units_by_quantity((unit,) if unit else (), channels)
        factors = [find_factor(column, units, channels) for column in channels.forces]
    except SettingsError as error:
        raise ParameterError(f"parameter 'effort_unit' = '{unit}': {error}") from None
    return np.resize(np.asarray(given, dtype=float), count), np.array(factors)


def list_joints(machine: Machine) -> tuple[str, ...]:
    """Return the joint names of a machine's drives in its file."""
    return tuple(drive.joint for drive in machine.drives)
