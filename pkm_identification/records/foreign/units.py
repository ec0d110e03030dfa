# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Units a log may be in, and what makes SI of them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

from pkm_identification.errors import SettingsError
from pkm_identification.motion import StrutLog
from pkm_identification.suggestion import did_you_mean

from ..strut_csv import CURRENT, FORCE, IMU, LENGTH, MOTOR_LENGTH, SENSOR, TIME

POUND, GRAVITY, INCH = 0.45359237, 9.80665, 0.0254  # kg, m/s^2, m: exact by definition
# fmt: off
FACTORS = {
    "time": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9},
    "length": {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "in": INCH},
    "force": {
        "N": 1.0, "kN": 1e3, "daN": 10.0, "MN": 1e6, "mN": 1e-3, "kgf": GRAVITY, "lbf": POUND * GRAVITY,
    },
    "current": {"A": 1.0, "mA": 1e-3},
    "angle": {"rad": 1.0, "deg": math.pi / 180},
    "acceleration": {"m/s^2": 1.0, "g": GRAVITY},
}
# Other spellings of these
SPELLINGS = {
    **dict.fromkeys(("sec", "second", "seconds"), "s"),
    **dict.fromkeys(("msec", "millisecond", "milliseconds"), "ms"),
    **dict.fromkeys(("usec", "µs", "\u03bcs", "microseconds"), "us"),
    **dict.fromkeys(("nsec", "nanoseconds"), "ns"),
    **dict.fromkeys(("metre", "metres", "meter", "meters"), "m"),
    **dict.fromkeys(("µm", "\u03bcm", "micron", "microns"), "um"),
    **dict.fromkeys(("inch", "inches", "Inch"), "in"),
    **dict.fromkeys(("newton", "newtons", "Newton"), "N"),
    **dict.fromkeys(("KN", "kn"), "kN"), "kp": "kgf", "kilopond": "kgf", "amp": "A", "amps": "A", "Ampere": "A",
    **dict.fromkeys(("°", "degree", "degrees", "deg/s", "°/s"), "deg"), "rad/s": "rad",
    **dict.fromkeys(("m/s2", "m/s²", "m/s**2"), "m/s^2"),
}
# What columns of drives are in that is neither a length nor a force: told from any other word in a name
OTHER_UNITS = (
    "Nm", "N m", "N*m", "N.m", "N·m", "Nmm", "Ncm", "mNm", "kNm", "lbf in", "lbf ft", "%", "‰", "permille", "promille",
    "bar", "mbar", "Pa", "hPa", "kPa", "MPa", "psi", "V", "mV", "W", "kW", "kg", "g", "t", "lb", "lbs", "ft", "rpm",
    "rev", "turns", "inc", "counts", "count", "ticks", "digits", "LSB", "raw", "mm/s", "m/s", "Hz",
)
# fmt: on
QUANTITY = {
    TIME: "time",
    **dict.fromkeys((*LENGTH, *MOTOR_LENGTH), "length"),
    **dict.fromkeys((*FORCE, *SENSOR), "force"),
    **dict.fromkeys(CURRENT, "current"),
    **dict.fromkeys(IMU[:3], "acceleration"),
    **dict.fromkeys(IMU[3:], "angle"),
}
IN_WORDS = {"in": "inches"}  # where a sentence could not be read with the unit itself
KNOWN = {unit: quantity for quantity, units in FACTORS.items() for unit in units}
BRACKETED = re.compile(r"([\[(])\s*([^\[\]()]+?)\s*[\])]")
NO_UNIT = re.compile(r"[-–\d\s]*")  # a number of a strut, or a dash for none
WORD_ENDS = re.compile(r"[\s_/,.]+")
LONGEST_UNIT = 12  # characters


def canonical(unit: str) -> str:
    """Return the spelling of a unit that the tables have; itself where there is none."""
    return SPELLINGS.get(unit, unit)


def stated_unit(name: str, quantity: str) -> str:
    """Return the unit that a column's name states, in brackets (`F1 [kN]`) or as a word (`F1_kN`); empty without one.

    Parameters
    ----------
    name : str
    quantity : str
        What the column measures: a word is its unit only where it can be nothing else.
    """
    bracketed = [(bracket, canonical(unit)) for bracket, unit in BRACKETED.findall(name)]
    words = [canonical(word) for word in WORD_ENDS.split(BRACKETED.sub(" ", name))[1:] if len(word) > 1]
    for unit in [*(unit for _, unit in bracketed), *(word for word in words if word != "in")]:
        if KNOWN.get(unit) == quantity:
            return unit
    for bracket, unit in bracketed:
        if NO_UNIT.fullmatch(unit) or len(unit) > LONGEST_UNIT:
            continue
        if bracket == "[" or unit in KNOWN or unit in OTHER_UNITS or "%" in unit:
            return unit
    return next((word for word in words if word in OTHER_UNITS), "")


def units_by_quantity(units: Sequence[str]) -> dict[str, str]:
    """Units as they are listed, by what they measure.

    Raises
    ------
    SettingsError
        If one is unknown, or two measure the same.
    """
    by_quantity: dict[str, str] = {}
    for unit in map(canonical, units):
        if unit not in KNOWN:
            raise SettingsError(
                f"--units: '{unit}' is unknown; expected some of {', '.join(KNOWN)}{did_you_mean(unit, KNOWN)}"
            )
        other = by_quantity.setdefault(KNOWN[unit], unit)
        if other != unit:
            raise SettingsError(
                f"--units: {other} and {unit} are both of {KNOWN[unit]}; expected one of them"
            )
    return by_quantity


def factor(column: str, units: dict[str, str]) -> float:
    """What a number of one of our columns is multiplied by to be in SI units; 1 of counts."""
    quantity = QUANTITY.get(column)
    unit = units.get(quantity or "")
    return 1.0 if quantity is None or unit is None else FACTORS[quantity][unit]


def in_si(log: StrutLog, units: Sequence[str]) -> StrutLog:
    """A recording's lengths and forces, in these units, in m and N; its stamps are seconds whatever is said."""
    by_quantity = units_by_quantity(units)
    if not by_quantity:
        return log
    force = None if log.force is None else log.force * factor(FORCE[0], by_quantity)
    return replace(log, length=log.length * factor(LENGTH[0], by_quantity), force=force)
