# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How well the numbers of drives are known: motors, force gains, offsets, delays, zeros, friction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pkm_identification.numerics.arrays import FloatArray

from ..contract import Drive, Machine
from .bodies import BODY_WIDTHS
from .file import KnownFile
from .records import DEFAULT, PLACES, WIDTH, KnownNumber

# Of each drive: relative, of the weight on it, s, and of its friction
GAIN_RATIO, OFFSET, DELAY_S, ASYMMETRY = 0.01, 0.1, 0.2e-3, 0.1
PITCH = 1e-3  # relative: leads of rolled screws and pitches of belts, as they are sold
ZERO_RAD = 3e-4  # of an encoder: a tenth of a millimetre at a third of a metre
MOST_FRICTION = 3.0  # times the weight on a drive
MEASURED_FRICTION = 0.1  # relative: what friction changes with temperature and wear
MOTOR = 0.3  # of the mass that a drive moves: inertia of a motor of which the file says nothing
MOTORS = "inertia", "m_m"  # entries of a basis that are motors: of mechanisms, of hexapods


def list_drive_numbers(
    machine: Machine, file: KnownFile, moved: FloatArray, keys: Mapping[str, str]
) -> Iterator[KnownNumber]:
    """Yield the numbers of the drives, drive by drive; see `build.build_knowledge`."""
    inertia = {one.limb: one.nominal for one in machine.basis if one.symbol in MOTORS}
    for i, drive in enumerate(machine.drives):
        motor = float(inertia.get(i, 0.0))
        zero = {how: share * machine.size for how, share in PLACES.items()}
        if drive.unit == "rad":
            zero = {how: ZERO_RAD * share / PLACES[DEFAULT] for how, share in PLACES.items()}
        for kind, value, usual in (
            ("motor_inertia", motor, _find_motor_widths(motor, float(moved[i]))),
            ("force_gain", 1.0, {DEFAULT: GAIN_RATIO}),
            ("force_offset", 0.0, {DEFAULT: OFFSET * float(machine.force_size[i])}),
            ("drive_delay", 0.0, {DEFAULT: DELAY_S}),
            ("asymmetry", 0.0, {DEFAULT: ASYMMETRY}),
            ("coordinate_offset", drive.zero, zero),
        ):
            if kind in machine.friction[i].law.names:
                continue  # a coefficient of its friction
            key = keys.get(kind, file.tolerance_key(kind)).replace("*", str(i)).replace("@", drive.name)
            how, width = file.find_width(key, value, usual)
            if tolerance := _find_tolerance(file, kind, i):
                how, width, key = WIDTH, tolerance, file.tolerance_key(kind)
            yield _number(kind, key, value, width, how, i, drive)
        key = file.tolerance_key("coordinate_scale")
        tolerance = _find_tolerance(file, "coordinate_scale", i)
        yield _number(
            "coordinate_scale", key, 1.0, tolerance or PITCH, WIDTH if tolerance else DEFAULT, i, drive
        )
        yield from _list_friction(machine, file, i)


def _find_tolerance(file: KnownFile, kind: str, drive: int) -> float:
    """Return the width that the section `tolerances` states of a number of a drive; 0: none."""
    each = file.tolerances.of_drives.get(kind)
    return file.tolerances.of_machine.get(kind, 0.0) if each is None else each[drive]


def _find_motor_widths(motor: float, moved: float) -> dict[str, float]:
    unknown = MOTOR * max(motor, moved)
    if motor == 0.0:
        return {DEFAULT: unknown}
    return {how: 2.0 * one.gyration * motor for how, one in BODY_WIDTHS.items()} | {DEFAULT: unknown}


def _list_friction(machine: Machine, file: KnownFile, i: int) -> Iterator[KnownNumber]:
    drive, friction = machine.drives[i], machine.friction[i]
    large = MOST_FRICTION * float(machine.force_size[i])
    for coefficient, one in zip(friction.law.coefficients, friction.coefficients[:, 0], strict=True):
        key, value = f"friction.{coefficient.name}.{i}", float(one)
        usual = {DEFAULT: coefficient.scale(value, large)}
        if value:
            usual["measured"] = MEASURED_FRICTION * abs(value)
        # whoever says that the whole file is measured does not mean friction
        how, width = file.find_width(key, value, usual, of_file=False)
        name = f"{coefficient.name}_{drive.label}"
        unit = coefficient.unit if drive.unit == "m" else coefficient.unit.replace("N s/m", "N m s/rad")
        unit = "N m" if unit == "N" and drive.unit == "rad" else unit
        yield KnownNumber(coefficient.name, key, value, width, unit, how, None, (i,), {key: 1.0}, name)


def _number(kind: str, key: str, value: float, width: float, how: str, i: int, drive: Drive) -> KnownNumber:
    relative = ("coordinate_scale", "force_gain", "asymmetry")
    units = {
        "motor_inertia": "kg m^2" if drive.unit == "rad" else "kg",
        "drive_delay": "s",
        "coordinate_offset": drive.unit,
        **dict.fromkeys(relative, ""),
    }
    unit = units.get(kind, drive.force_unit)
    return KnownNumber(kind, key, value, width, unit, how, None, (i,), {}, f"{kind}_{drive.name}")
