"""Node parameters: declared once with type, unit, range and the moment they may change."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    ParameterType,
    SetParametersResult,
)
from rclpy.exceptions import InvalidParameterValueException
from rclpy.node import Node
from rclpy.parameter import Parameter

from pkm_identification.declared import Declaration
from pkm_identification.errors import PkmError, SettingsError

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
    live: bool = False
    read_only: bool = False

    @classmethod
    def of(cls, declaration: Declaration, live: bool = False, **changes: Any) -> ParameterSpec:
        """The parameter of a declared setting; `changes` replaces what is otherwise for the node."""
        spec = cls(
            declaration.name,
            declaration.default,
            declaration.help,
            declaration.unit,
            declaration.low,
            declaration.high,
            declaration.choices,
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
            return f"one of {', '.join(repr(choice) for choice in self.choices)}"
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
        """Why a value is refused, or None."""
        if not self._type_fits(value):
            return f"parameter '{self.name}' = {value!r}: must be {self.kind[1]}"
        values = value if isinstance(self.default, list) else [value]
        for entry in values:
            if isinstance(entry, float) and not math.isfinite(entry):
                return f"parameter '{self.name}' = {value!r}: must be finite"
            too_low = self.low is not None and entry < self.low
            too_high = self.high is not None and entry > self.high
            if too_low or too_high or (self.choices and entry not in self.choices):
                return f"parameter '{self.name}' = {value!r}: must be {self.allowed}"
        return None

    def convert(self, value: Any) -> Any:
        """A checked value as the type of the default."""
        if isinstance(self.default, list):
            return [type(self.default[0])(entry) for entry in value]
        return type(self.default)(value)

    def _type_fits(self, value: Any) -> bool:
        if isinstance(self.default, list):
            # An empty list in YAML has no type; an array arrives as array.array.
            if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
                return False
            return all(_scalar_fits(self.default[0], entry) for entry in value)
        return _scalar_fits(self.default, value)


# One that may change while the node runs.
LiveParameter = partial(ParameterSpec, live=True)


def _scalar_fits(default: Any, value: Any) -> bool:
    if isinstance(default, bool) or isinstance(value, bool):
        return isinstance(default, bool) and isinstance(value, bool)
    if isinstance(default, float):
        return isinstance(value, (int, float))
    return isinstance(value, type(default))


class ParameterTable:
    """The parameters of one node: declares them, guards their changes, gives their values.

    Parameters
    ----------
    node : rclpy.node.Node
    specs : sequence of ParameterSpec
    configured : callable
        Whether the node is configured now, so that parameters read at configuration are fixed.
    accept : callable
        Asked before live parameters of a configured node change, with the values of all parameters as they
        would be; raises PkmError to refuse the change as a whole.
    changed : callable
        Told the names of the live parameters that have changed on a configured node.

    Raises
    ------
    ParameterError
        If a value given at start is refused; names parameter, value and range.
    """

    def __init__(
        self,
        node: Node,
        specs: Sequence[ParameterSpec],
        configured: Callable[[], bool] = lambda: False,
        accept: Callable[[Mapping[str, Any]], None] = lambda _: None,
        changed: Callable[[set[str]], None] = lambda _: None,
    ) -> None:
        self._node = node
        self._specs = {spec.name: spec for spec in specs}
        self._configured = configured
        self._accept = accept
        self._tell = changed
        self._refusal = ""
        # older releases do not tell when a change is done: there it counts as done once it is accepted
        self._told_afterwards = hasattr(node, "add_post_set_parameters_callback")
        node.add_on_set_parameters_callback(self._check)
        for spec in specs:
            try:
                # rclpy would check the range first, with a message of its own
                node.declare_parameter(spec.name, spec.default, spec.descriptor(with_range=False))
                if not spec.read_only:
                    node.set_descriptor(spec.name, spec.descriptor())
            except InvalidParameterValueException as error:
                raise ParameterError(self._refusal or str(error)) from None
        if self._told_afterwards:
            node.add_post_set_parameters_callback(self._changed)

    def __getitem__(self, name: str) -> Any:
        """Value of a parameter, of the type of its default."""
        return self._specs[name].convert(self._node.get_parameter(name).value)

    def values(self, *names: str) -> dict[str, Any]:
        """Values of several parameters by name."""
        return {name: self[name] for name in names}

    def all(self) -> dict[str, Any]:
        """Values of all parameters by name."""
        return self.values(*self._specs)

    def unknown(self) -> list[str]:
        """Warnings on parameters given at start that this node does not have (a typing error is silent
        in ROS otherwise)."""
        given = getattr(self._node, "_parameter_overrides", {})
        warnings = []
        for name in given:
            if self._node.has_parameter(name) or name.startswith("qos_overrides."):
                continue
            close = difflib.get_close_matches(name, self._specs, 1)
            hint = f"; did you mean '{close[0]}'?" if close else ""
            warnings.append(f"parameter '{name}' is not known here and ignored{hint}")
        return warnings

    def _check(self, parameters: list[Parameter]) -> SetParametersResult:
        """Judge a change, of one parameter or of several at once."""
        ours = [parameter for parameter in parameters if parameter.name in self._specs]
        refusal = next(filter(None, map(self._refused, ours)), None)
        if refusal is None and ours and self._configured():
            refusal = self._refused_together(ours)
        if refusal is not None:
            self._refusal = refusal
            return SetParametersResult(successful=False, reason=refusal)
        if not self._told_afterwards:
            self._changed(parameters)
        return SetParametersResult(successful=True)

    def _refused(self, parameter: Parameter) -> str | None:
        spec = self._specs[parameter.name]
        refusal = spec.check(parameter.value)
        if refusal is None and not spec.live and self._configured():
            refusal = (
                f"parameter '{spec.name}' = {parameter.value!r}: is read when the node is configured; "
                "clean the node up (lifecycle) first, or start it with the value"
            )
        return refusal

    def _refused_together(self, parameters: list[Parameter]) -> str | None:
        values = self.all()
        values |= {p.name: self._specs[p.name].convert(p.value) for p in parameters}
        try:
            self._accept(values)
        except PkmError as error:
            changes = ", ".join(f"'{p.name}' = {p.value!r}" for p in parameters)
            return f"parameter {changes}: {error}"
        return None

    def _changed(self, parameters: list[Parameter]) -> None:
        names = {parameter.name for parameter in parameters} & set(self._specs)
        if names and self._configured():
            self._tell(names)
