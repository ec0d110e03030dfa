# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""First machine files of common kinds: text with a few numbers, what was not given is marked as guessed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pkm_identification.errors import SettingsError
from pkm_identification.suggestion import did_you_mean

from ..new_machine import format_yaml_text

GUESSED = "GUESSED"
_STATED = "20 %"  # a mass that is stated, as one of which a file says nothing
_LENGTH, _MASS = "m", "kg"
AXES = 6  # of a serial arm, unless told
_FEWEST_AXES, _MOST_AXES = 1, 9


@dataclass(frozen=True)
class Number:
    """A number of a kind of machine: its unit, what it is, and its value where nothing is said."""

    unit: str
    about: str
    guess: float


@dataclass(frozen=True)
class Kind:
    """A kind of machine: its numbers, what they must obey, and the file that they make."""

    numbers: Mapping[str, Number]
    check: Callable[[Mapping[str, float]], str]
    body: Callable[[Mapping[str, float]], str]


def write_draft(kind: str, name: str, given: Mapping[str, float], axes: int) -> str:
    """Return the text of a first machine file.

    Parameters
    ----------
    kind : str
        One of KINDS.
    name : str
        Of the machine.
    given : mapping of str to float
        Numbers of the kind that are known, in m and kg; others are guessed.
    axes : int
        Of a serial arm.

    Raises
    ------
    SettingsError
        If there is no such number, or a machine with these numbers cannot be put together.
    """
    chosen = _find_kind(kind, axes)
    unknown = [one for one in given if one not in chosen.numbers]
    if unknown:
        known = ", ".join(f"{key} ({one.unit}, {one.about})" for key, one in chosen.numbers.items())
        raise SettingsError(
            f"--value {unknown[0]}: '{kind}' has no such number{did_you_mean(unknown[0], tuple(chosen.numbers))}; "
            f"it has {known}"
        )
    wrong = [key for key, value in given.items() if not value > 0]
    if wrong:
        raise SettingsError(f"--value {wrong[0]}={given[wrong[0]]:g}: must be greater than zero")
    numbers = {key: given.get(key, one.guess) for key, one in chosen.numbers.items()}
    problem = chosen.check(numbers)
    if problem:
        raise SettingsError(f"{kind}: {problem}")
    lines = [
        f"  {key}: {numbers[key]:.9g}  # {'' if key in given else f'{GUESSED}, '}{one.unit}: {one.about}"
        for key, one in chosen.numbers.items()
    ]
    stated = {
        key: _STATED if key in given else "guessed"
        for key, one in chosen.numbers.items()
        if key not in given or one.unit == _MASS
    }
    lines.insert(0, f"  known: {{{', '.join(f'{key}: {how}' for key, how in stated.items())}}}")
    return (
        f"# Written by pkm init. Lines that say {GUESSED} are starting points: replace what is known better, and\n"
        "# let pkm identify find the rest. Masses in kg, lengths in m, angles in rad or deg(...).\n"
        "# More: docs/mechanisms.md\n"
        f"schema: 1\nkind: mechanism\nname: {format_yaml_text(name)}\n"
        "constants:\n" + "\n".join(lines) + "\n" + chosen.body(numbers)
    )


def units_of_kind(kind: str, axes: int) -> dict[str, str]:
    """Return the units of a kind's numbers, m or kg, by their names."""
    return {name: one.unit for name, one in _find_kind(kind, axes).numbers.items()}


def _find_kind(kind: str, axes: int) -> Kind:
    return KINDS[kind] or _draft_serial_arm(axes)


def _build_rod(mass: str, length: str) -> str:
    """Return a slender rod along its x."""
    across = f"{mass}*{length}^2/12"
    return (
        f"{{mass: {mass}, center_of_mass: [{length}/2, 0, 0], "
        f"inertia: [{mass}*{length}^2/1000, {across}, {across}, 0, 0, 0]}}"
    )


def _build_friction(count: int, unit: str) -> str:
    nothing = ", ".join(["0"] * count)
    rate = "rad/s" if unit == "N m" else "m/s"
    return (
        f"friction:\n  viscous: [{nothing}]  # {unit} per {rate}, unknown: found by pkm identify\n"
        f"  coulomb: [{nothing}]  # {unit}\n"
    )


def _draft_five_bar(numbers: Mapping[str, float]) -> str:
    # cranks at home so that the joint where the rods meet is neither stretched nor folded: half of the elbows' distance
    # is at most .8 rods, and the cranks lean outwards or stand
    base, crank, rod = (numbers[key] for key in ("base", "crank", "rod"))
    lean = min(80.0, max(20.0, math.degrees(math.acos(min(1.0, max(-1.0, (0.6 * rod - base / 2) / crank))))))
    return f"""\
  home: deg({lean:.0f})  # {GUESSED}: of the right crank from the base line; the left one stands the other way round
  room: deg(40)  # {GUESSED}: of the cranks from home, either way
  middle: base/2 + crank*cos(home)  # half of what is between the elbows
  rise: atan2(sqrt(rod^2 - middle^2), middle)
# x along the base line from the left motor to the right one, y up
gravity: [0, -9.81, 0]  # {GUESSED}: the machine stands upright; if it lies, gravity is [0, 0, -9.81]
bodies:  # {GUESSED}: slender rods
  known: guessed
  crank_left: {{planar: true, mass: crank_mass, center_of_mass: [crank/2, 0, 0], inertia: [crank_mass*crank^2/12]}}
  crank_right: {{planar: true, mass: crank_mass, center_of_mass: [crank/2, 0, 0], inertia: [crank_mass*crank^2/12]}}
  rod_left: {{planar: true, mass: rod_mass, center_of_mass: [rod/2, 0, 0], inertia: [rod_mass*rod^2/12]}}
  rod_right: {{planar: true, mass: rod_mass, center_of_mass: [rod/2, 0, 0], inertia: [rod_mass*rod^2/12]}}
joints:
  motor_left: {{type: revolute, bodies: [ground, crank_left]}}
  motor_right: {{type: revolute, bodies: [ground, crank_right], place: [[base, 0, 0], [0, 0, 0]]}}
  elbow_left: {{type: revolute, bodies: [crank_left, rod_left], place: [[crank, 0, 0], [0, 0, 0]]}}
  elbow_right: {{type: revolute, bodies: [crank_right, rod_right], place: [[crank, 0, 0], [0, 0, 0]]}}
  tip: {{type: revolute, bodies: [rod_left, rod_right], place: [[rod, 0, 0], [rod, 0, 0]]}}
drives:  # angles from the base line
  left: {{joint: motor_left, force: torque_left, limits: [pi - home - room, pi - home + room]}}
  right: {{joint: motor_right, force: torque_right, limits: [home - room, home + room]}}
outputs:
  x: {{body: rod_left, position: x, point: [rod, 0, 0]}}
  y: {{body: rod_left, position: y, point: [rod, 0, 0]}}
home:
  drives: {{left: pi - home, right: home}}
  # the rods meet above the base line; for the other assembly mode turn the sign of rise in both
  guess: {{elbow_left: rise - pi + home, elbow_right: pi - rise - home}}
{_build_friction(2, "N m")}"""


def _check_five_bar(numbers: Mapping[str, float]) -> str:
    base, crank, rod = (numbers[key] for key in ("base", "crank", "rod"))
    if base / 2 >= crank + rod:
        return f"cranks of {crank:g} m and rods of {rod:g} m do not meet over a base of {base:g} m"
    if base / 2 + crank * math.cos(math.radians(80)) >= 0.95 * rod:
        return f"rods of {rod:g} m are too short for a base of {base:g} m and cranks of {crank:g} m"
    return ""


def _draft_delta(_: Mapping[str, float]) -> str:
    bodies, joints, drives = "", "", ""
    for k, (c, s) in enumerate((("1", "0"), ("-1/2", "side"), ("-1/2", "-side")), 1):
        minus = {"0": "0", "side": "-side", "-side": "side"}[s]
        bodies += f"  arm_{k}: {_build_rod('arm_mass', 'arm')}\n  rod_{k}: {_build_rod('rod_mass', 'rod')}\n"
        joints += f"""\
  motor_{k}: {{type: revolute, bodies: [ground, arm_{k}], place: [[base*({c}), base*({s}), 0], [0, 0, 0]],
    axis: [[{minus}, {c}, 0], [0, 1, 0]], reference: [[{c}, {s}, 0], [1, 0, 0]]}}
  elbow_{k}: {{type: universal, bodies: [arm_{k}, rod_{k}], place: [[arm, 0, 0], [0, 0, 0]],
    axis: [[0, 1, 0], [0, 0, 1]]}}
  wrist_{k}: {{type: universal, bodies: [platform, rod_{k}], place: [[plate*({c}), plate*({s}), 0], [rod, 0, 0]],
    axis: [[{minus}, {c}, 0], [0, 0, 1]], reference: [[0, 0, 1], [0, 1, 0]]}}
"""
        drives += f"  angle_{k}: {{joint: motor_{k}, force: torque_{k}, limits: [deg(-30), deg(60)]}}\n"
    return f"""\
  side: sqrt(3)/2
  disc: platform_mass*plate^2/4
  down: acos((plate - base - arm)/rod)  # of the rods at home, from the arms
# z up, the arms' axes in a level plane round the origin; the platform hangs. Each pair of rods is drawn as one rod
# between universal joints, which holds the platform parallel as the pair does
bodies:  # {GUESSED}: slender rods (a pair counts as one), the platform a disc
  known: guessed
  platform: {{mass: platform_mass, inertia: [disc, disc, 2*disc, 0, 0, 0]}}
{bodies}joints:
{joints}drives:  # 0: the arm points outwards, level; positive: it turns down. {GUESSED}: limits
{drives}outputs:
  x: {{body: platform, position: x}}
  y: {{body: platform, position: y}}
  z: {{body: platform, position: z}}
home:
  drives: {{angle_1: 0, angle_2: 0, angle_3: 0}}
  guess: {{elbow_1: [down, 0], elbow_2: [down, 0], elbow_3: [down, 0], wrist_1: [down, 0]}}
{_build_friction(3, "N m")}"""


def _check_delta(numbers: Mapping[str, float]) -> str:
    level = numbers["base"] + numbers["arm"] - numbers["plate"]
    if abs(level) >= 0.95 * numbers["rod"]:
        return (
            f"with level arms the rods of {numbers['rod']:g} m would have to reach {abs(level):.4g} m inwards"
        )
    return ""


def _draft_three_prs(_: Mapping[str, float]) -> str:
    bodies, joints, drives = "", "", ""
    for k, (c, s) in enumerate((("1", "0"), ("-1/2", "side"), ("-1/2", "-side")), 1):
        minus = {"0": "0", "side": "-side", "-side": "side"}
        back = {"1": "-1", "-1/2": "1/2"}[c]
        bodies += f"  slider_{k}: {{mass: slider_mass}}\n  bar_{k}: {_build_rod('bar_mass', 'bar')}\n"
        joints += f"""\
  guide_{k}: {{type: prismatic, bodies: [ground, slider_{k}], place: [[guides*({c}), guides*({s}), 0], [0, 0, 0]]}}
  hinge_{k}: {{type: revolute, bodies: [slider_{k}, bar_{k}], axis: [[{minus[s]}, {c}, 0], [0, 1, 0]],
    reference: [[{back}, {minus[s]}, 0], [1, 0, 0]]}}
  ball_{k}: {{type: spherical, bodies: [bar_{k}, platform], place: [[bar, 0, 0], [plate*({c}), plate*({s}), 0]]}}
"""
        drives += f"  height_{k}: {{joint: guide_{k}, force: force_{k}, limits: [0, stroke]}}\n"
    return f"""\
  side: sqrt(3)/2
  disc: platform_mass*plate^2/4
  rise: acos((guides - plate)/bar)  # of the bars at home over the level
# z up, three upright guides round the origin at 120 degrees; bars from the sliders to the platform above them
bodies:  # {GUESSED}: slender bars, sliders without inertia, the platform a disc
  known: guessed
  platform: {{mass: platform_mass, inertia: [disc, disc, 2*disc, 0, 0, 0]}}
{bodies}joints:
  # a bar's x is along it; at zero it points inwards, level, and turns upwards
{joints}drives:  # heights of the sliders. {GUESSED}: limits
{drives}outputs:
  z: {{body: platform, position: z}}
  psi: {{body: platform, angle: 2, sequence: yxz}}
  theta: {{body: platform, angle: 1, sequence: yxz}}
home:
  drives: {{height_1: stroke/2, height_2: stroke/2, height_3: stroke/2}}
  guess:
    {{guide_1: stroke/2, guide_2: stroke/2, guide_3: stroke/2, hinge_1: rise, hinge_2: rise, hinge_3: rise}}
{_build_friction(3, "N")}"""


def _check_three_prs(numbers: Mapping[str, float]) -> str:
    level = abs(numbers["guides"] - numbers["plate"])
    if level >= 0.95 * numbers["bar"]:
        return f"bars of {numbers['bar']:g} m do not rise: guides and platform joints are {level:.4g} m apart"
    return ""


def _draft_serial_arm(axes: int) -> Kind:
    if not _FEWEST_AXES <= axes <= _MOST_AXES:
        raise SettingsError(f"--axes {axes}: must be from {_FEWEST_AXES} to {_MOST_AXES}")
    numbers = {
        f"l{k}": Number(_LENGTH, f"from joint {k} to the next", round(0.35 * 0.85**k, 3))
        for k in range(1, axes + 1)
    }
    numbers |= {f"m{k}": Number(_MASS, f"of link {k}", round(8.0 * 0.65**k, 2)) for k in range(1, axes + 1)}

    def body(_: Mapping[str, float]) -> str:
        bodies, joints, drives, before, origin = "", "", "", "ground", "[0, 0, 0]"
        for k in range(1, axes + 1):
            # upright at zero; the first axis is upright, then two that lie, then in turns
            axis = "[0, 1, 0]" if k in (2, 3) or (k > 3 and k % 2 == 1) else "[0, 0, 1]"
            across = f"m{k}*l{k}^2/12"
            bodies += (
                f"  link_{k}: {{mass: m{k}, center_of_mass: [l{k}/10, l{k}/20, l{k}/2], "
                f"inertia: [{across}, {across}, m{k}*l{k}^2/40, 0, 0, 0]}}\n"
            )
            joints += (
                f"  joint_{k}: {{type: revolute, bodies: [{before}, link_{k}], place: [{origin}, [0, 0, 0]], "
                f"axis: {axis}}}\n"
            )
            drives += f"  q{k}: {{joint: joint_{k}, force: torque_{k}, limits: [deg(-90), deg(90)]}}\n"
            before, origin = f"link_{k}", f"[0, 0, l{k}]"
        return f"""\
# z up; with all joints at zero the arm stands upright and all frames are parallel to the ground's
bodies:  # {GUESSED}: centres of mass off the middle of the links, inertias
  known: guessed
{bodies}joints:  # {GUESSED}: directions of the axes
{joints}drives:  # {GUESSED}: limits
{drives}{_build_friction(axes, "N m")}"""

    return Kind(numbers, lambda _: "", body)


SERIAL_ARM = "serial-arm"
KINDS: dict[str, Kind | None] = {
    "five-bar": Kind(
        {
            "base": Number(_LENGTH, "between the motors", 0.30),
            "crank": Number(_LENGTH, "of the driven cranks", 0.20),
            "rod": Number(_LENGTH, "of the rods that meet", 0.30),
            "crank_mass": Number(_MASS, "of a crank", 0.6),
            "rod_mass": Number(_MASS, "of a rod, tool included", 0.4),
        },
        _check_five_bar,
        _draft_five_bar,
    ),
    "delta": Kind(
        {
            "base": Number(_LENGTH, "radius of the arms' axes", 0.20),
            "plate": Number(_LENGTH, "radius of the platform's joints", 0.05),
            "arm": Number(_LENGTH, "of the driven arms", 0.25),
            "rod": Number(_LENGTH, "of the rods", 0.60),
            "platform_mass": Number(_MASS, "of the platform with its tool", 0.5),
            "arm_mass": Number(_MASS, "of an arm", 0.5),
            "rod_mass": Number(_MASS, "of a pair of rods", 0.15),
        },
        _check_delta,
        _draft_delta,
    ),
    "3-prs": Kind(
        {
            "guides": Number(_LENGTH, "radius of the guides", 0.40),
            "plate": Number(_LENGTH, "radius of the platform's joints", 0.30),
            "bar": Number(_LENGTH, "of the bars", 0.30),
            "stroke": Number(_LENGTH, "of the sliders", 0.30),
            "platform_mass": Number(_MASS, "of the platform with its load", 4.0),
            "bar_mass": Number(_MASS, "of a bar", 0.4),
            "slider_mass": Number(_MASS, "of a slider", 0.8),
        },
        _check_three_prs,
        _draft_three_prs,
    ),
    SERIAL_ARM: None,
}
