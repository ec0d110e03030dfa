# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Settings declared once: a dataclass field that knows its unit, its range and what it means.

The command line's option, the node's parameter, its page and its line in the parameter file are all made from the
declaration, and `check` refuses a value the same way wherever it comes from.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from pkm_identification.errors import SettingsError
from pkm_identification.suggestion import did_you_mean

_KEY = "declaration"


@dataclass(frozen=True)
class Declaration:
    """What a setting is.

    Attributes
    ----------
    name : str
        Of the node parameter and of the command line's option.
    default : bool, int, float, str or list of str
        Also fixes the type.
    help : str
    unit : str
        Empty where it has none.
    low, high : float, optional
        Smallest and largest number allowed.
    choices : tuple of str
        The only texts allowed; empty for any.
    ending : str
        Of a file's name that is allowed in addition to the choices; empty for none.
    option : str
        Name of the option where it is not that of the node parameter.
    percent : bool
        Whether the option is given in percent; the setting itself is the fraction.
    """

    name: str
    default: Any
    help: str
    unit: str = ""
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    option: str = ""
    percent: bool = False
    ending: str = ""

    @property
    def flag(self) -> str:
        """The option, with its dashes."""
        return "--" + (self.option or self.name).replace("_", "-")

    @property
    def range(self) -> str:
        """What is allowed of a number, in words; empty when nothing is said."""
        return self._range(1.0, self.unit)

    def _range(self, scale: float, in_unit: str) -> str:
        unit = f" {in_unit}" if in_unit else ""
        if self.low is not None and self.high is not None:
            return f"between {scale * self.low:g} and {scale * self.high:g}{unit}"
        if self.low is not None:
            return f"at least {scale * self.low:g}{unit}"
        return "" if self.high is None else f"at most {scale * self.high:g}{unit}"

    def check(self, value: Any) -> None:
        """Raise SettingsError unless the value is allowed; a number that is not finite never is in a range."""
        name = self.name.replace("_", " ")
        file = bool(self.ending) and str(value).endswith(self.ending)
        if self.choices and value not in self.choices and not file:
            near = did_you_mean(str(value), self.choices)
            also = f", or a {self.ending} file" if self.ending else ""
            raise SettingsError(f"{name} '{value}': must be one of {', '.join(self.choices)}{also}{near}")
        if not self._within(value):
            raise SettingsError(f"{name} {value:g}: must be {self.range}")

    def check_option(self, value: Any) -> None:
        """As `check` for a number, naming the option and what was typed."""
        if not self._within(value):
            scale, unit = (100.0, "%") if self.percent else (1.0, self.unit)
            raise SettingsError(f"{self.flag} {scale * value:g}: must be {self._range(scale, unit)}")

    def _within(self, value: Any) -> bool:
        low = self.low is None or value >= self.low
        high = self.high is None or value <= self.high
        return low and high


def declare(
    default: Any,
    help: str,
    unit: str = "",
    low: float | None = None,
    high: float | None = None,
    choices: tuple[str, ...] = (),
    *,
    name: str = "",
    option: str = "",
    percent: bool = False,
    ending: str = "",
) -> Any:
    """Return a dataclass field with its declaration; `name` is the field's own unless given. See `Declaration`."""
    declaration = Declaration(name, default, help, unit, low, high, choices, option, percent, ending)
    return field(default=default, metadata={_KEY: declaration})


def declarations(settings: Any) -> dict[str, Declaration]:
    """Declarations of a dataclass (or an instance), by field."""
    return {
        entry.name: _index_by_name(entry.metadata[_KEY], entry.name)
        for entry in fields(settings)
        if _KEY in entry.metadata
    }


def check(settings: Any) -> None:
    """Raise SettingsError unless all declared fields of a dataclass instance have values that are allowed."""
    for name, declaration in declarations(settings).items():
        declaration.check(getattr(settings, name))


def _index_by_name(declaration: Declaration, field_name: str) -> Declaration:
    if declaration.name:
        return declaration
    return Declaration(**{**vars(declaration), "name": field_name})
