# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Units a log may be in, and what makes SI of them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.reported import NEEDED
from pkm_identification.suggestion import did_you_mean

from ..channels import Channels

POUND, GRAVITY, INCH, FOOT = 0.45359237, 9.80665, 0.0254, 0.3048  # kg, m/s^2, m, m: exact by definition
# fmt: off
FACTORS = {
    "time": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "100ns": 1e-7, "ns": 1e-9},
    "length": {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "in": INCH, "ft": FOOT},
    "force": {
        "N": 1.0, "kN": 1e3, "daN": 10.0, "MN": 1e6, "mN": 1e-3, "kgf": GRAVITY, "lbf": POUND * GRAVITY,
        "kip": 1e3 * POUND * GRAVITY,
    },
    "current": {"A": 1.0, "mA": 1e-3},
    "angle": {"rad": 1.0, "deg": math.pi / 180, "mrad": 1e-3, "rev": 2 * math.pi},
    "torque": {
        "Nm": 1.0, "kNm": 1e3, "mNm": 1e-3, "Ncm": 1e-2, "Nmm": 1e-3, "kgfm": GRAVITY, "kgfcm": GRAVITY / 100,
        "lbfft": POUND * GRAVITY * FOOT, "lbfin": POUND * GRAVITY * INCH,
    },
    "acceleration": {"m/s^2": 1.0, "g": GRAVITY},
    # What drives report instead of a force, which the machine file makes one of (`mechanisms.reported`)
    "share": {"%": 1e-2, "permille": 1e-3},
    "pressure": {
        "Pa": 1.0, "kPa": 1e3, "MPa": 1e6, "mbar": 1e2, "bar": 1e5, "psi": POUND * GRAVITY / INCH**2,
    },
}
# Other spellings of these
SPELLINGS = {
    **dict.fromkeys(("sec", "second", "seconds"), "s"),
    **dict.fromkeys(("msec", "millisecond", "milliseconds"), "ms"),
    **dict.fromkeys(("usec", "µs", "\u03bcs", "microseconds"), "us"),
    **dict.fromkeys(("nsec", "nanoseconds"), "ns"),
    **dict.fromkeys(("100 ns", "filetime", "FILETIME"), "100ns"),  # of Windows' and TwinCAT's clocks
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
    **dict.fromkeys(("kips", "klbf"), "kip"), **dict.fromkeys(("feet", "foot"), "ft"),
    **dict.fromkeys(("turn", "turns", "revolution", "revolutions"), "rev"), "Grad": "deg",
    **dict.fromkeys(("percent", "pct", "Prozent", "% rated", "% nominal"), "%"),
    **dict.fromkeys(("‰", "0.1%", "0.1 %", "0,1%", "0,1 %", "promille", "per mille", "Promille"), "permille"),
    "hPa": "mbar", "Bar": "bar", "N/mm^2": "MPa", "N/mm2": "MPa", "N/mm²": "MPa", "lbf/in^2": "psi", "PSI": "psi",
}
# What columns of drives are in that is neither a coordinate nor a force: told from any other word in a name
OTHER_UNITS = (
    "V", "mV", "W", "kW", "kg", "g", "t", "lb", "lbs", "rpm", "RPM", "1/min", "U/min", "min^-1", "rev/min", "rps",
    "inc", "counts", "count", "ticks", "digits", "LSB", "raw", "mm/s", "m/s", "m/min", "in/s", "Hz",
)
# Those of them that are rates, beside which a log needs the coordinate itself
RATE_UNITS = ("rpm", "RPM", "1/min", "U/min", "min^-1", "rev/min", "rps", "mm/s", "m/s", "m/min", "in/s")
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


def stated_unit(name: str, quantity: str, also: Sequence[str] = ()) -> str:
    """Return the unit that a column's name states, in brackets (`F1 [kN]`) or as a word (`F1_kN`); empty without one.

    One that is no unit of the quantity is returned as it is spelt.

    Parameters
    ----------
    name : str
    quantity : str
        What the column measures: a word is its unit only where it can be nothing else.
    also : sequence of str
        What it may measure instead.
    """
    bracketed = BRACKETED.findall(name)
    words = [word for word in WORD_ENDS.split(BRACKETED.sub(" ", name))[1:] if len(word) > 1 and word != "in"]
    found = [canonical(unit) for unit in (*(unit for _, unit in bracketed), *words)]
    for wanted in (quantity, *also):
        for unit in found:
            if KNOWN.get(unit) == wanted:
                return unit
    for bracket, unit in bracketed:
        if NO_UNIT.fullmatch(unit) or len(unit) > LONGEST_UNIT:
            continue
        if bracket == "[" or canonical(unit) in KNOWN or unit in OTHER_UNITS or "%" in unit:
            return unit
    other = (*FACTORS["torque"], *FACTORS["share"], *FACTORS["pressure"], *OTHER_UNITS)
    return next((word for word in words if canonical(word) in other), "")


def reports_of(column: str, channels: Channels) -> tuple[str, ...]:
    """Return the quantities that a column may be in in addition to its own: what drives report instead of a force.

    Torques are none where some drives of the machine turn, whose own they are.
    """
    if column not in channels.forces:
        return ()
    return tuple(one for one in NEEDED if one == "current" or one not in channels.quantities)


def units_by_quantity(units: Sequence[str], channels: Channels) -> dict[str, str]:
    """Units as they are listed, by what they measure.

    Raises
    ------
    SettingsError
        If one is unknown, no column of ours measures it, or two measure the same.
    """
    by_quantity: dict[str, str] = {}
    measured = {*channels.quantities, *NEEDED}
    taken = [unit for unit, quantity in KNOWN.items() if quantity in measured]
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


def find_factor(column: str, units: Mapping[str, str], channels: Channels, subtracted: bool = False) -> float:
    """Return what a number of one of our columns is multiplied by to be in SI units; 1 of counts.

    Parameters
    ----------
    column : str
    units : mapping of str to str
        By quantity. Of a column of forces without a unit of its own, one of what drives report instead is taken.
    channels : Channels
    subtracted : bool
        Of the second of two columns, of which the difference is the force.

    Raises
    ------
    SettingsError
        If the machine file does not say what makes a force of such a report: names what it has to say.
    """
    quantity = channels.quantity[column]
    unit = units.get(quantity)
    if unit is not None:
        return FACTORS[quantity][unit]
    reported = next((one for one in reports_of(column, channels) if one in units), None)
    if reported is None:
        return 1.0
    return FACTORS[reported][units[reported]] * force_of_report(column, reported, channels, subtracted)


def force_of_report(column: str, quantity: str, channels: Channels, subtracted: bool = False) -> float:
    """Return the force of one SI unit of what a drive reports; raises SettingsError as `find_factor`."""
    known = channels.reported.get(column)
    factor = math.nan if known is None else known.find_factor(quantity, subtracted)
    if not math.isfinite(factor):
        where = "the machine file's section of its drive" if known is not None else "the file of --machine"
        raise SettingsError(
            f"{column} is in a unit of {quantity}, of which a force is made by {NEEDED[quantity]}: say that in {where}"
        )
    return factor
