# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm init: a machine file to begin with, of any machine."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import yaml

from pkm_identification.document import YAML_ENDINGS
from pkm_identification.errors import OutputError, SettingsError
from pkm_identification.exporting.drafts.graph import Link
from pkm_identification.exporting.drafts.kinds import AXES, KINDS, SERIAL_ARM, units_of_kind, write_draft
from pkm_identification.exporting.drafts.mass_properties import read_mass_properties, replace_body
from pkm_identification.exporting.new_machine import (
    JOINT_PICTURE,
    JOINT_TYPES,
    UNKNOWN_JOINTS,
    Sketch,
    compute_paired_angles,
    joints_on_circle,
    machine_file,
    refuse_unlikely,
)
from pkm_identification.machines.capabilities import BodiesFile, has, require
from pkm_identification.machines.load import read_machine_text, wrap_description
from pkm_identification.mechanisms.builtin import HEXAPOD
from pkm_identification.mechanisms.hexapod.geometry import compute_jacobian_quality
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS
from pkm_identification.records.atomic import write_text
from pkm_identification.records.foreign.joint_table import read_joint_table
from pkm_identification.records.foreign.units import FACTORS, IN_WORDS
from pkm_identification.suggestion import did_you_mean

from .questions import Questions, number, numbers, option_value, positive
from .results import check_file, show_next, write_figures

UNITS = {unit: FACTORS["length"][unit] for unit in ("m", "mm", "in")}
UNITS_IN_WORDS = "m, mm or in"
ENDS = ("base", "platform")
SLOWEST, FASTEST = 1.0, 1e6  # samples per second
# Of the Jacobian's smallest to largest singular value at home: below it, a machine is stiff in no useful way.
POOR = 0.02
PLATFORM = "platform"  # the body that pasted mass properties are of unless a name is given
SOURCE_ENDINGS = (".urdf", ".sdf", ".world", ".xml", ".mjcf")
ANY_MASS = 1.0  # kg: a geometry is judged before the mass is known


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "init",
        description="Write a first machine file that loads, simulates and identifies at once, with a picture: of a "
        "hexapod its joints as stated, of another kind a template with the numbers that are given, or what a URDF, SDF "
        "or MJCF file says. Everything else is guessed and marked so. What a hexapod lacks is asked for on a terminal.",
    )
    other = parser.add_argument_group("machines that are no hexapods")
    other.add_argument(
        "--kind",
        "--mechanism",
        choices=(HEXAPOD, *KINDS),
        help=f"what it is (default: {HEXAPOD})",
    )
    other.add_argument(
        "--value",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a number of the kind, as arm=0.25, in --unit or kg; repeatable (a wrong name is answered with all)",
    )
    other.add_argument("--axes", type=int, metavar="N", help="of a serial-arm (default: 6)")
    other.add_argument(
        "--from",
        dest="source",
        metavar="FILE",
        help="a .urdf, .sdf or MJCF .xml file to take bodies and joints from",
    )
    parser.add_argument(
        "out",
        metavar="[FILE] OUT",
        nargs="+",
        help="the machine file, .yaml; before it, the same as --from FILE",
    )
    other.add_argument(
        "--drives",
        default="",
        metavar="JOINT,...",
        help="with --from: joints that are driven (default: those with actuators, else next to the ground)",
    )
    other.add_argument(
        "--close",
        action="append",
        default=[],
        metavar="LINK:LINK[:TYPE]",
        help="with --from: a joint that the file lacks, where the frames of two links coincide (default: spherical)",
    )
    joints = parser.add_argument_group("joints")
    joints.add_argument("--unit", choices=tuple(UNITS), help="of all lengths here (default: m)")
    joints.add_argument(
        "--joints",
        metavar="FILE",
        help="six rows of base x, y, z and platform x, y, z, or twelve rows of x, y, z",
    )
    joints.add_argument("--radius-base", metavar="R", help="of the circle of the base joints")
    joints.add_argument("--radius-platform", metavar="R", help="of the circle of the platform joints")
    joints.add_argument(
        "--angles-base",
        metavar="DEG",
        help="of the base joints of struts 1 to 6, with commas; or one: between the joints of a pair, pairs 120 apart",
    )
    joints.add_argument("--angles-platform", metavar="DEG", help="the same of the platform joints")
    joints.add_argument(
        "--height", metavar="H", help="of the platform over the base at home; negative: it hangs"
    )
    joints.add_argument(
        "--joint-type",
        choices=tuple(JOINT_TYPES),
        help="on which side the universal joints are and which way their fixed hinges point (asked for with a picture)",
    )
    joints.add_argument("--limits", metavar="MIN,MAX", help="shortest and longest strut (default: guessed)")
    bodies = parser.add_argument_group("bodies")
    bodies.add_argument(
        "--mass-properties",
        action="append",
        default=[],
        metavar="[BODY=]FILE",
        help="text of a CAD program with mass, centre of mass and inertia of a body (default: platform) in the "
        "coordinate system of its frame; - reads what is pasted; repeatable",
    )
    bodies.add_argument("--mass", metavar="KG", help="of the platform with its tool")
    bodies.add_argument(
        "--size", metavar="D[,T]", help="platform's diameter and thickness (default: by its joints)"
    )
    bodies.add_argument(
        "--strut-mass", metavar="KG", help="of a whole strut (default: a quarter of the platform's)"
    )
    parser.add_argument("--name", help="of the machine (default: that of the file)")
    parser.add_argument("--rate", default="1000", metavar="HZ", help="of its logs (default: 1000)")
    parser.add_argument("--force", action="store_true", help="write over files that are there")
    parser.set_defaults(run=_init)


def _init(options: argparse.Namespace) -> int:
    *source, options.out = options.out
    if len(source) > 1 or (source and options.source):
        raise SettingsError("expected [FILE] OUT: one file to begin with and the machine file to write")
    if not source and not options.source and Path(options.out).suffix in SOURCE_ENDINGS:
        source, options.out = [options.out], str(Path(options.out).with_suffix(YAML_ENDINGS[0]))
    options.source = source[0] if source else options.source
    out = Path(options.out)
    if out.suffix not in YAML_ENDINGS:
        raise SettingsError(f"{out}: expected a name that ends in .yaml")
    picture = out.with_suffix(".png")
    for file in (out, picture):
        check_file(file, "OUT")
        if file.exists() and not options.force:
            raise OutputError(f"{file}: exists; --force writes over it")
    if options.source or options.kind not in (None, HEXAPOD):
        return _write_draft(options, out, picture)
    if options.value or options.axes is not None:
        raise SettingsError(
            f"{'--value' if options.value else '--axes'}: belongs to --kind {', '.join(KINDS)}"
        )
    bodies = _read_bodies(options)
    if bodies and options.mass is None:
        options.mass = str(bodies[0].mass)
    sketch = _sketch(options, out)
    text = machine_file(sketch)
    for body in bodies:
        text = replace_body(text, body)
    machine = _read_sketched_machine(text, out)
    # matplotlib takes longer to load than this command runs
    from pkm_identification.report.figures.machine import machine_figure

    write_text(out, text)
    write_figures(out.parent, {out.stem: machine_figure(wrap_description(machine))})
    print(_summarise(machine, sketch, out, picture))
    show_next("pkm", "check", "LOG", "--machine", str(out))
    return 0


def _write_draft(options: argparse.Namespace, out: Path, picture: Path) -> int:
    """A first description of a machine that is no hexapod."""
    _refuse_of_hexapods(options)
    name = options.name or out.stem
    if options.source:
        if options.kind or options.value or options.axes is not None:
            raise SettingsError(
                "--from: says itself what the machine is; no --kind, --value or --axes goes with it"
            )
        from pkm_identification.exporting.drafts.from_file import draft_from_file

        drives = [part.strip() for part in options.drives.split(",") if part.strip()]
        text, notes = draft_from_file(options.source, name, drives, options.close, _read_bodies(options))
    else:
        if options.axes is not None and options.kind != SERIAL_ARM:
            raise SettingsError(f"--axes: belongs to --kind {SERIAL_ARM}")
        lengths = units_of_kind(options.kind, options.axes or AXES)
        metre = UNITS[options.unit or "m"]
        given = dict(_read_named_number(text, lengths, metre) for text in options.value)
        text = write_draft(options.kind, name, given, options.axes or AXES)
        notes = []
        for body in _read_bodies(options):
            text = replace_body(text, body)
    machine = read_machine_text(text, str(out))
    # matplotlib takes longer to load than this command runs
    from pkm_identification.report.figures.machine import machine_figure

    write_text(out, text)
    write_figures(out.parent, {out.stem: machine_figure(machine)})
    what = "a hexapod"
    if has(machine, BodiesFile):
        mechanism = require(machine, BodiesFile, "init").mechanism
        what = f"{len(mechanism.description.bodies)} bodies, {mechanism.loops} loop{'s' * (mechanism.loops != 1)}"
    names = ", ".join(drive.name for drive in machine.drives)
    print(
        f"{out}: {machine.name}, {what}, {len(machine.drives)} drives ({names})\n{picture}: its picture at home"
    )
    for note in notes:
        print(note)
    print("Lines that say GUESSED in the file are starting points.")
    show_next("pkm", "check", "LOG", "--machine", str(out))
    return 0


def _read_bodies(options: argparse.Namespace) -> list[Link]:
    """Return the bodies of --mass-properties."""
    bodies = []
    for text in options.mass_properties:
        name, equals, path = text.rpartition("=")
        bodies.append(read_mass_properties(path, name if equals else PLATFORM))
    if len({body.name for body in bodies}) < len(bodies):
        raise SettingsError("--mass-properties: names a body twice")
    return bodies


def _read_named_number(text: str, units: Mapping[str, str], metre: float) -> tuple[str, float]:
    """Return a number of --value in SI units, with its name."""
    name, equals, value = text.partition("=")
    if not equals:
        raise SettingsError(f"--value {text}: expected NAME=VALUE")
    return name, option_value("--value", value, number) * (metre if units.get(name) == "m" else 1.0)


def _refuse_of_hexapods(options: argparse.Namespace) -> None:
    own = (
        "joints",
        "radius_base",
        "radius_platform",
        "angles_base",
        "angles_platform",
        "height",
        "limits",
        "mass",
    )
    for name in (*own, "size", "strut_mass", "joint_type"):
        if getattr(options, name) is not None:
            raise SettingsError(
                f"--{name.replace('_', '-')}: belongs to --kind {HEXAPOD}; --value gives numbers of others"
            )


def _read_sketched_machine(text: str, out: Path) -> Machine:
    return Machine.from_document(yaml.safe_load(text), str(out))


def _sketch(options: argparse.Namespace, out: Path) -> Sketch:
    """Return what options and answers say; a geometry that cannot be is refused before anything else is asked for."""
    asked = Questions(options)
    if asked.interactive and options.unit is None:
        options.unit = asked.answer("unit of lengths", UNITS_IN_WORDS, _read_unit)
    unit = options.unit or "m"
    metre, lengths = UNITS[unit], IN_WORDS.get(unit, unit)
    if options.joints:
        for flag in ("radius_base", "radius_platform", "angles_base", "angles_platform"):
            if getattr(options, flag) is not None:
                raise SettingsError(
                    f"--joints: has the joints; --{flag.replace('_', '-')} does not go with it"
                )
        base, platform = (joints * metre for joints in read_joint_table(options.joints))
    else:
        radii, angles = [], []
        for end in ENDS:
            question = f"radius of the {end} joints in {lengths}"
            radii.append(metre * asked.value(f"radius_{end}", question, positive))
            question = f"angles of the {end} joints in deg: six, or the one between the two of a pair"
            angles.append(asked.value(f"angles_{end}", question, _read_angles))
        if {len(one) for one in angles} == {1}:
            angles = list(compute_paired_angles(angles[0][0], angles[1][0]))
        elif any(len(one) != STRUTS for one in angles):
            raise SettingsError(
                "--angles-base, --angles-platform: expected six angles in both, or one in both"
            )
        base, platform = (joints_on_circle(r, np.array(a)) for r, a in zip(radii, angles, strict=True))
    size = numbers(options.size, "--size", 1, 2)
    limits = numbers(options.limits, "--limits", 2, 2)
    if limits and not 0 < limits[0] < limits[1]:
        raise SettingsError(f"--limits {options.limits}: expected MIN,MAX with 0 < MIN < MAX")
    if any(one <= 0 for one in size):
        raise SettingsError(f"--size {options.size}: must be greater than zero")
    sketch = Sketch(
        name=options.name or out.stem,
        base_joints=base,
        platform_joints=platform,
        height=metre
        * asked.value("height", f"height of the platform over the base at home in {lengths}", number),
        mass=ANY_MASS,
        diameter=metre * size[0] if size else None,
        thickness=metre * size[1] if len(size) > 1 else None,
        limits=(metre * limits[0], metre * limits[1]) if limits else None,
        strut_mass=None
        if options.strut_mass is None
        else option_value("--strut-mass", options.strut_mass, positive),
        sample_rate=option_value("--rate", options.rate, _rate),
    )
    refuse_unlikely(sketch, unit)
    _read_sketched_machine(machine_file(sketch), out)
    # who states all the rest on the command line is asked nothing
    if asked.interactive and options.joint_type is None and (asked.asked or options.mass is None):
        print(JOINT_PICTURE, end="", file=sys.stderr)
        options.joint_type = asked.answer(
            "joints of the struts", "1 to 6 or a name; Enter: unknown", _read_joint_type
        )
    sketch = replace(sketch, joint_type=options.joint_type or UNKNOWN_JOINTS)
    return replace(sketch, mass=asked.value("mass", "mass of the platform with its tool in kg", positive))


def _rate(text: str) -> float:
    rate = number(text)
    if not SLOWEST <= rate <= FASTEST:
        raise ValueError(f"must be from {SLOWEST:g} to {FASTEST:g} samples per second")
    return rate


def _read_angles(text: str) -> list[float]:
    angles = [number(part) for part in text.split(",")]
    if len(angles) not in (1, STRUTS):
        raise ValueError(f"expected six angles with commas, or one, found {len(angles)}")
    return angles


def _read_unit(text: str) -> str:
    if text not in UNITS:
        raise ValueError(f"expected {UNITS_IN_WORDS}{did_you_mean(text, UNITS)}")
    return text


def _read_joint_type(text: str) -> str:
    """Return a type of joints by its number in the picture or its name; none is unknown."""
    names = list(JOINT_TYPES)
    if text.isdigit() and 1 <= int(text) <= len(names):
        return names[int(text) - 1]
    if text and text not in names:
        raise ValueError(f"expected 1 to {len(names)} or a name{did_you_mean(text, names)}")
    return text or UNKNOWN_JOINTS


def _summarise(machine: Machine, sketch: Sketch, out: Path, picture: Path) -> str:
    ratio = float(compute_jacobian_quality(machine)[0][0])
    each = [f"{length:.4f}" for length in sketch.home_lengths]
    home = f"six struts of {each[0]}" if len(set(each)) == 1 else f"struts {', '.join(each)}"
    lines = [
        f"{out}: {machine.name}, {home} m at home",
        f"{picture}: its picture; look whether strut by strut the right joints are connected",
        f"condition of the Jacobian at home {1 / ratio:.3g} (1: best; a radian counts as {machine.length_scale:.3g} m)",
    ]
    if ratio < POOR:
        lines.append("This pose is nearly singular: some motion of the platform hardly moves a strut.")
    lines.append("Lines that say GUESSED in the file are starting points.")
    return "\n".join(lines)
