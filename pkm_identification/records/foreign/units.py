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
from collections.abc import Mapping, Sequence

from pkm_identification.errors import SettingsError
from pkm_identification.suggestion import did_you_mean

from ..channels import Channels

POUND, GRAVITY, INCH, FOOT = 0.45359237, 9.80665, 0.0254, 0.3048  # kg, m/s^2, m, m: exact by definition
# fmt: off
FACTORS = {
    "time": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9},
    "length": {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "in": INCH},
    "force": {
        "N": 1.0, "kN": 1e3, "daN": 10.0, "MN": 1e6, "mN": 1e-3, "kgf": GRAVITY, "lbf": POUND * GRAVITY,
    },
    "current": {"A": 1.0, "mA": 1e-3},
    "angle": {"rad": 1.0, "deg": math.pi / 180, "mrad": 1e-3},
    "torque": {
        "Nm": 1.0, "kNm": 1e3, "mNm": 1e-3, "Ncm": 1e-2, "Nmm": 1e-3, "kgfm": GRAVITY, "kgfcm": GRAVITY / 100,
        "lbfft": POUND * GRAVITY * FOOT, "lbfin": POUND * GRAVITY * INCH,
    },
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
    **{f"{force}{sign}{arm}": f"{force}{arm}" for force, arm in (
        ("N", "m"), ("kN", "m"), ("mN", "m"), ("N", "cm"), ("N", "mm"), ("kgf", "m"), ("kgf", "cm"), ("lbf", "ft"),
        ("lbf", "in"),
    ) for sign in " *.-_\u00b7"},
    **dict.fromkeys(("m/s2", "m/s²", "m/s**2"), "m/s^2"),
}
# What columns of drives are in that is neither a length nor a force: told from any other word in a name
OTHER_UNITS = (
    "%", "‰", "permille", "promille",
    "bar", "mbar", "Pa", "hPa", "kPa", "MPa", "psi", "V", "mV", "W", "kW", "kg", "g", "t", "lb", "lbs", "ft", "rpm",
    "rev", "turns", "inc", "counts", "count", "ticks", "digits", "LSB", "raw", "mm/s", "m/s", "Hz",
)
# fmt: on
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

    One that is no unit of the quantity is returned as it is spelt.

    Parameters
    ----------
    name : str
    quantity : str
        What the column measures: a word is its unit only where it can be nothing else.
    """
    bracketed = BRACKETED.findall(name)
    words = [word for word in WORD_ENDS.split(BRACKETED.sub(" ", name))[1:] if len(word) > 1]
    for unit in map(canonical, [*(unit for _, unit in bracketed), *(word for word in words if word != "in")]):
        if KNOWN.get(unit) == quantity:
            return unit
    for bracket, unit in bracketed:
        if NO_UNIT.fullmatch(unit) or len(unit) > LONGEST_UNIT:
            continue
        if bracket == "[" or canonical(unit) in KNOWN or unit in OTHER_UNITS or "%" in unit:
            return unit
    return next((word for word in words if word in OTHER_UNITS or KNOWN.get(canonical(word)) == "torque"), "")


def units_by_quantity(units: Sequence[str], channels: Channels) -> dict[str, str]:
    """Units as they are listed, by what they measure.

    Raises
    ------
    SettingsError
        If one is unknown, no column of ours measures it, or two measure the same.
    """
    by_quantity: dict[str, str] = {}
    taken = [unit for unit, quantity in KNOWN.items() if quantity in channels.quantities]
    for unit in map(canonical, units):
        if unit not in taken:
            wrong = f"of {KNOWN[unit]}, which no column has" if unit in KNOWN else "unknown"
            raise SettingsError(
                f"--units: '{unit}' is {wrong}; expected some of {', '.join(taken)}{did_you_mean(unit, taken)}"
            )
        other = by_quantity.setdefault(KNOWN[unit], unit)
        if other != unit:
            raise SettingsError(
                f"--units: {other} and {unit} are both of {KNOWN[unit]}; expected one of them"
            )
    return by_quantity


def find_factor(column: str, units: Mapping[str, str], channels: Channels) -> float:
    """Return what a number of one of our columns is multiplied by to be in SI units; 1 of counts."""
    quantity = channels.quantity[column]
    unit = units.get(quantity)
    return 1.0 if unit is None else FACTORS[quantity][unit]
