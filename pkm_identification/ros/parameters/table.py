# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The parameters of a running node: declared, changed under guard, read."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rcl_interfaces.msg import SetParametersResult
from rclpy.exceptions import InvalidParameterValueException
from rclpy.node import Node
from rclpy.parameter import Parameter

from pkm_identification.errors import PkmError, one_line

from ..releases import has_set_callbacks
from .declarations import ParameterError, ParameterSpec


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
        Called with the names of the live parameters that have changed on a configured node.

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
        self._notify = changed
        self._refusal = ""
        # where nobody says when a change has happened, it counts once it is accepted
        self._notified_afterwards = has_set_callbacks(node)
        node.add_on_set_parameters_callback(self._check)
        for spec in specs:
            try:
                # rclpy would check the range first, with a message of its own
                node.declare_parameter(spec.name, spec.default, spec.descriptor(with_range=False))
                if not spec.read_only:
                    node.set_descriptor(spec.name, spec.descriptor())
            except InvalidParameterValueException as error:
                raise ParameterError(self._refusal or str(error)) from None
        if self._notified_afterwards:
            node.add_post_set_parameters_callback(self._handle_change)

    def __getitem__(self, name: str) -> Any:
        """Value of a parameter, of the type of its default."""
        return self._specs[name].convert(self._node.get_parameter(name).value)

    def values(self, *names: str) -> dict[str, Any]:
        """Return values of several parameters by name."""
        return {name: self[name] for name in names}

    def all(self) -> dict[str, Any]:
        """Return values of all parameters by name."""
        return self.values(*self._specs)

    def unknown(self) -> list[str]:
        """Warnings on parameters given at start that this node does not have.

        A typing error is silent in ROS otherwise.
        """
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
        refusal = next(filter(None, map(self._refuse_change, ours)), None)
        if refusal is None and ours and self._configured():
            refusal = self._refused_together(ours)
        if refusal is not None:
            self._refusal = refusal
            return SetParametersResult(successful=False, reason=one_line(refusal))
        if not self._notified_afterwards:
            self._handle_change(parameters)
        return SetParametersResult(successful=True)

    def _refuse_change(self, parameter: Parameter) -> str | None:
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

    def _handle_change(self, parameters: list[Parameter]) -> None:
        names = {parameter.name for parameter in parameters} & set(self._specs)
        if names and self._configured():
            self._notify(names)
