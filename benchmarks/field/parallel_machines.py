# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Descriptions of parallel machines that are no hexapods, written from a few sizes: a reader's machine, not ours."""

from __future__ import annotations

import math
from typing import Any

TURNED = 1.0  # rad: the platform of `rrr` at home
AXES = {"axis": [[0, 1, 0], [0, 0, 1]]}


def mechanism(name: str, bodies: dict, joints: dict, drives: dict, **more: Any) -> dict[str, Any]:
    """Return a document with numbers as text, as a file's reader has them."""
    whole = {"schema": 1, "kind": "mechanism", "name": name, "bodies": bodies, "joints": joints}
    return as_text({**whole, "drives": drives, **more})


def as_text(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: as_text(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_text(part) for part in value]
    return (
        repr(float(value) if isinstance(value, float) else value)
        if isinstance(value, (int, float)) and not isinstance(value, bool)
        else value
    )


def rod(mass: float, length: float, across: float = 1e-5) -> dict[str, Any]:
    """A uniform rod along its x."""
    turning = mass * length**2 / 12
    return {
        "mass": mass,
        "center_of_mass": [length / 2, 0, 0],
        "inertia": [across, turning, turning, 0, 0, 0],
    }


def delta(base: float = 0.24, plate: float = 0.06, arm: float = 0.22, reach: float = 0.55) -> dict[str, Any]:
    """Three turning arms, rods between universal joints that keep the platform parallel."""
    bodies: dict[str, Any] = {"platform": {"mass": 0.6, "inertia": [6e-4, 6e-4, 9e-4, 0, 0, 0]}}
    joints: dict[str, Any] = {}
    for i in range(3):
        c, s = math.cos(2 * math.pi * i / 3), math.sin(2 * math.pi * i / 3)
        k, side = i + 1, [-s, c, 0]
        bodies |= {f"arm_{k}": rod(0.35, arm), f"rod_{k}": rod(0.12, reach)}
        motor = {"place": [[base * c, base * s, 0], [0, 0, 0]], "axis": [side, [0, 1, 0]]}
        motor |= {"reference": [[c, s, 0], [1, 0, 0]]}
        joints[f"motor_{k}"] = {"type": "revolute", "bodies": ["ground", f"arm_{k}"], **motor}
        elbow = {"place": [[arm, 0, 0], [0, 0, 0]], **AXES}
        joints[f"elbow_{k}"] = {"type": "universal", "bodies": [f"arm_{k}", f"rod_{k}"], **elbow}
        wrist = {"place": [[plate * c, plate * s, 0], [reach, 0, 0]], "axis": [side, [0, 0, 1]]}
        wrist |= {"reference": [[0, 0, 1], [0, 1, 0]]}
        joints[f"wrist_{k}"] = {"type": "universal", "bodies": ["platform", f"rod_{k}"], **wrist}
    drives = {
        f"angle_{k}": {"joint": f"motor_{k}", "force": f"torque_{k}", "limits": [-0.6, 1.3]}
        for k in (1, 2, 3)
    }
    guess = {f"elbow_{k}": [2.2, 0] for k in (1, 2, 3)} | {"wrist_1": [2.2, 0]}
    return mechanism("delta", bodies, joints, drives, home={"drives": {}, "guess": guess})


def five_bar(base: float = 0.30, arm: float = 0.25, reach: float = 0.35) -> dict[str, Any]:
    """Two turning arms on a base line, joined by two rods at a point: planar, y up."""
    bodies = {
        name: {
            "planar": True,
            "mass": mass,
            "center_of_mass": [size / 2, 0, 0],
            "inertia": [mass * size**2 / 12],
        }
        for name, mass, size in (
            ("left", 0.5, arm),
            ("right", 0.5, arm),
            ("near", 0.3, reach),
            ("far", 0.3, reach),
        )
    }
    revolute = {"type": "revolute"}
    joints = {
        "motor_l": {**revolute, "bodies": ["ground", "left"]},
        "motor_r": {**revolute, "bodies": ["ground", "right"], "place": [[base, 0, 0], [0, 0, 0]]},
        "elbow_l": {**revolute, "bodies": ["left", "near"], "place": [[arm, 0, 0], [0, 0, 0]]},
        "elbow_r": {**revolute, "bodies": ["right", "far"], "place": [[arm, 0, 0], [0, 0, 0]]},
        "tip": {**revolute, "bodies": ["near", "far"], "place": [[reach, 0, 0], [reach, 0, 0]]},
    }
    drives = {
        "left": {"joint": "motor_l", "force": "torque_l"},
        "right": {"joint": "motor_r", "force": "torque_r"},
    }
    guess = {"motor_l": 2.1, "motor_r": 1.0, "elbow_l": -1.2, "elbow_r": 1.2}
    friction = {"law": "asymmetric", "viscous": [0.3, 0.4], "coulomb": [0.6, 0.5], "asymmetry": [0.1, -0.05]}
    home = {"drives": {"left": 2.1, "right": 1.0}, "guess": guess}
    return mechanism("five-bar", bodies, joints, drives, home=home, gravity=[0, -9.81, 0], friction=friction)


def rrr(base: float = 0.35, plate: float = 0.10, arm: float = 0.15, reach: float = 0.30) -> dict[str, Any]:
    """Planar 3-RRR: three turning arms, three rods and a platform that also turns; y up."""

    def bar(mass: float, length: float) -> dict[str, Any]:
        turning = mass * length**2 / 12
        return {"planar": True, "mass": mass, "center_of_mass": [length / 2, 0, 0], "inertia": [turning]}

    bodies: dict[str, Any] = {"platform": {"planar": True, "mass": 0.5, "inertia": [0.25 * plate**2]}}
    joints: dict[str, Any] = {}
    guess: dict[str, float] = {}
    for i in range(3):
        k, place = i + 1, math.pi / 2 + 2 * math.pi * i / 3
        foot, ball = ([radius * math.cos(place), radius * math.sin(place), 0] for radius in (base, plate))
        bodies |= {f"arm_{k}": bar(0.4, arm), f"rod_{k}": bar(0.25, reach)}
        for name, pair, at in (
            (f"motor_{k}", ["ground", f"arm_{k}"], [foot, [0, 0, 0]]),
            (f"elbow_{k}", [f"arm_{k}", f"rod_{k}"], [[arm, 0, 0], [0, 0, 0]]),
            (f"wrist_{k}", [f"rod_{k}", "platform"], [[reach, 0, 0], ball]),
        ):
            joints[name] = {"type": "revolute", "bodies": pair, "place": at}
        # along the way inwards and to the left of it; the platform is turned, so that it can turn either way
        inwards, left = base - plate * math.cos(TURNED), -plate * math.sin(TURNED)
        way, whole = math.atan2(left, inwards), math.hypot(inwards, left)
        lean = math.acos((arm**2 + whole**2 - reach**2) / (2 * arm * whole))
        bend = math.acos((reach**2 + whole**2 - arm**2) / (2 * reach * whole))
        guess |= {f"motor_{k}": place - math.pi + way + lean, f"elbow_{k}": -lean - bend}
        guess[f"wrist_{k}"] = TURNED - (place - math.pi + way - bend)
    drives = {f"angle_{k}": {"joint": f"motor_{k}", "force": f"torque_{k}"} for k in (1, 2, 3)}
    start = {f"angle_{k}": guess[f"motor_{k}"] for k in (1, 2, 3)}
    home = {"drives": start, "guess": guess}
    return mechanism("rrr", bodies, joints, drives, home=home, gravity=[0, -9.81, 0])


def _platform_on_rods(name: str, base: float, plate: float, reach: float, turning: float) -> dict[str, Any]:
    """Six rods with ball joints carry a platform; each hangs on an arm of length `turning`, or if 0 on a slider."""
    bodies: dict[str, Any] = {"platform": {"mass": 1.5, "inertia": [3e-3, 3e-3, 5e-3, 0, 0, 0]}}
    joints: dict[str, Any] = {}
    guess: dict[str, Any] = {}
    drives: dict[str, Any] = {}
    unit = "angle" if turning else "slide"
    for i in range(6):
        k, place = i + 1, 2 * math.pi * (i // 2) / 3
        c, s = math.cos(place), math.sin(place)
        offset = 0.06 if i % 2 else -0.06
        foot = [base * c - offset * s, base * s + offset * c, 0]
        # neighbours on the base are apart on the platform
        around = place + (0.8 if i % 2 else -0.8)
        ball = [plate * math.cos(around), plate * math.sin(around), 0]
        if turning:
            bodies[f"arm_{k}"] = rod(0.1, turning)
            drive = {"type": "revolute", "axis": [[-s, c, 0], [0, 1, 0]], "reference": [[c, s, 0], [1, 0, 0]]}
            tip = [foot[0] + turning * c, foot[1] + turning * s, 0]
            at = [turning, 0, 0]
        else:
            bodies[f"arm_{k}"] = {"mass": 0.4, "inertia": [1e-4, 1e-4, 1e-4, 0, 0, 0]}
            drive = {"type": "prismatic", "axis": [[0, 0, 1], [0, 0, 1]], "reference": [[c, s, 0], [1, 0, 0]]}
            tip, at = foot, [0, 0, 0]
        bodies[f"rod_{k}"] = rod(0.08, reach)
        joints[f"motor_{k}"] = {"bodies": ["ground", f"arm_{k}"], "place": [foot, [0, 0, 0]], **drive}
        elbow = {"place": [at, [0, 0, 0]], **AXES}
        joints[f"elbow_{k}"] = {"type": "universal", "bodies": [f"arm_{k}", f"rod_{k}"], **elbow}
        socket = {"place": [[reach, 0, 0], ball]}
        joints[f"ball_{k}"] = {"type": "spherical", "bodies": [f"rod_{k}", "platform"], **socket}
        drives[f"{unit}_{k}"] = {"joint": f"motor_{k}", "force": f"force_{k}"}
        # in the arm's axes: x outwards, y its axis; the rod's x from the arm's tip to the ball
        level = ball[0] - tip[0], ball[1] - tip[1]
        way = [*level, math.sqrt(max(reach**2 - math.hypot(*level) ** 2, 0.0))]
        x, y, z = way[0] * c + way[1] * s, -way[0] * s + way[1] * c, way[2]
        guess[f"elbow_{k}"] = [math.atan2(-z, x), math.asin(y / math.hypot(x, y, z))]
    outputs: dict[str, Any] = {axis: {"body": "platform", "position": axis} for axis in "xyz"}
    for turn, angle in enumerate(("roll", "pitch", "yaw"), 1):
        outputs[angle] = {"body": "platform", "angle": turn, "sequence": "xyz"}
    home = {"drives": {}, "guess": guess}
    return mechanism(name, bodies, joints, drives, home=home, outputs=outputs)


def rss(
    base: float = 0.12, plate: float = 0.09, reach: float = 0.27, turning: float = 0.10
) -> dict[str, Any]:
    """6-RSS: turning arms."""
    return _platform_on_rods("rss", base, plate, reach, turning)


def pus(base: float = 0.20, plate: float = 0.09, reach: float = 0.30) -> dict[str, Any]:
    """6-PUS: vertical slides."""
    return _platform_on_rods("pus", base, plate, reach, 0.0)


def serial_arm(lengths: tuple[float, ...] = (0.4, 0.35, 0.2)) -> dict[str, Any]:
    """An arm whose axes turn by a right angle from joint to joint; the second joint slides."""
    bodies, joints, drives = {}, {}, {}
    before, at = "ground", [0.0, 0.0, 0.1]
    for k, length in enumerate(lengths, 1):
        bodies[f"link_{k}"] = {**rod(4.0 / k, length, 0.01), "center_of_mass": [length / 2, 0.02, -0.03]}
        axis = [[0, 0, 1], [0, 1, 0]] if k % 2 else [[0, 1, 0], [0, 0, 1]]
        kind = "prismatic" if k == 2 else "revolute"
        joints[f"joint_{k}"] = {
            "type": kind,
            "bodies": [before, f"link_{k}"],
            "place": [at, [0, 0, 0]],
            "axis": axis,
        }
        joints[f"joint_{k}"]["reference"] = [[1, 0, 0], [1, 0, 0]]
        drives[f"q_{k}"] = {"joint": f"joint_{k}", "force": f"tau_{k}", "inertia": 0.05}
        before, at = f"link_{k}", [length, 0, 0]
    return mechanism("arm", bodies, joints, drives, home={"drives": dict.fromkeys(drives, 0.2)})


def wrist_arm(count: int = 7, length: float = 0.3) -> dict[str, Any]:
    """An arm of revolute joints as collaborative robots have them: each axis at a right angle to the one before it."""
    bodies, joints, drives = {}, {}, {}
    before = "ground"
    for k in range(1, count + 1):
        size = length * (1.1 - 0.12 * k)
        bodies[f"link_{k}"] = {
            "mass": 4.0 / k,
            "center_of_mass": [0.01, 0.02, 0.4 * size],
            "inertia": [0.3 / k**2, 0.28 / k**2, 0.05 / k**2, 0.002 / k, -0.003 / k**2, 0.001 / k**2],
        }
        # the axis of each joint is its own body's z; zero is where the arm is bent
        turned = {} if k == 1 else {"axis": [[0, 1, 0], [0, 0, 1]], "reference": [[1, 0, 0], [1, 0, 0]]}
        joints[f"joint_{k}"] = {
            "type": "revolute", "bodies": [before, f"link_{k}"], "place": [[0, 0, size], [0, 0, 0]], **turned,
        }  # fmt: skip
        drives[f"angle_{k}"] = {"joint": f"joint_{k}", "force": f"torque_{k}", "limits": [-2.8, 2.8]}
        before = f"link_{k}"
    friction = {
        "viscous": [2.0 / k for k in range(1, count + 1)],
        "coulomb": [3.0 / k for k in range(1, count + 1)],
    }
    home = {"drives": dict.fromkeys(drives, 0.3)}
    return mechanism("arm-7", bodies, joints, drives, home=home, friction=friction)
