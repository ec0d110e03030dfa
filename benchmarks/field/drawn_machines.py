# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Plausible machine files drawn anew: hexapods of .1 to 10 m and mechanisms of several kinds, from carbon to steel."""

from __future__ import annotations

from typing import Any

import numpy as np

Document = dict[str, Any]


def draw_hexapod(rng: np.random.Generator) -> Document:
    """Return a hexapod's file, of .1 to 10 m: plates, rings or blocks on rods, tubes or cylinders."""
    radius = 0.1 * 100 ** rng.uniform()
    platform_radius = radius * rng.uniform(0.35, 1.0)
    height = radius * rng.uniform(0.8, 2.2)
    base = _pairs(radius, np.radians(rng.uniform(8, 35)), 0.0)
    platform = _pairs(platform_radius, np.radians(rng.uniform(8, 35)), np.pi / 3)
    platform[:, 2] = -platform_radius * rng.uniform(0, 0.3)
    # strut i of the base goes to the nearest pair above it
    order = np.argmin(
        [np.linalg.norm(base[:, :2] - np.roll(platform, k, axis=0)[:, :2], axis=1).sum() for k in range(6)]
    )
    platform = np.roll(platform, int(order), axis=0)
    up = rng.choice([1.0, -1.0])
    home = np.array([0.0, 0.0, up * height])
    lengths = np.linalg.norm(platform + home - base, axis=1)
    low, high = float(lengths.min() * rng.uniform(0.7, 0.95)), float(lengths.max() * rng.uniform(1.05, 1.4))
    speed = rng.uniform(0.05, 1.0) * high
    lead = float(rng.choice([0.002, 0.005, 0.01, 0.02]))
    body_b, body_e = _strut_bodies(rng, low, high)
    return {
        "schema": 1,
        "name": "drawn",
        "gravity": [0.0, 0.0, -9.81],
        "geometry": {
            "base_joints": base.tolist(),
            "platform_joints": platform.tolist(),
            "home": {"position": home.tolist()},
            "length_limits": [low, high],
            "rate_limit": float(speed),
        },
        "platform": _platform(rng, platform_radius),
        "strut": {"body_b": body_b, "body_e": body_e},
        "friction": {
            "viscous": float(rng.uniform(0, 3000)),
            "coulomb": float(rng.uniform(0, 100)),
            "transition_rate": 0.002,
        },
        "drive": {
            "sample_rate": 1000.0,
            "encoder": {
                "counts_per_meter": float(rng.choice([2e4, 1e5, 8e5, 1e7])),
                "length_at_zero": float(rng.uniform(0, high)),
            },
            "motor": {
                "torque_constant": float(rng.uniform(0.02, 2)),
                "screw_lead": lead,
                "force_limit": float(rng.uniform(1e2, 1e5)),
                "inertia": _platform_free_inertia(rng, radius),
            },
        },
    }


def _platform_free_inertia(rng: np.random.Generator, radius: float) -> float:
    """Return a motor's inertia in kg m^2 as its size goes with the machine's."""
    return float(3e-6 * 10 ** rng.uniform(0, 1) * max(radius, 0.1) ** 2 / 0.04)


def _pairs(radius: float, half: float, turn: float) -> np.ndarray:
    angles = np.concatenate([[k - half, k + half] for k in (turn + 2 * np.pi / 3 * np.arange(3))])
    return np.stack([radius * np.cos(angles), radius * np.sin(angles), np.zeros(6)], axis=1)


def _platform(rng: np.random.Generator, radius: float) -> Document:
    """Return a plate, ring or block that weighs what its stuff does."""
    density = float(rng.choice([300.0, 1600.0, 2700.0, 7850.0]))
    size = radius * rng.uniform(0.8, 1.4)
    kind = rng.choice(["plate", "ring", "block"])
    if kind == "plate":
        thick = size * rng.uniform(0.01, 0.1)
        mass = density * np.pi * size**2 * thick
        across, axial = size**2 / 4 + thick**2 / 12, size**2 / 2
    elif kind == "ring":
        mass = density * 2 * np.pi * size * (0.05 * size) ** 2
        across, axial = size**2 / 2, size**2
    else:
        tall = radius * rng.uniform(0.3, 2.0)
        mass = density * rng.uniform(0.1, 1.0) * np.pi * size**2 * tall
        across, axial = size**2 / 4 + tall**2 / 12, size**2 / 2
    center = [*(radius * rng.normal(0, 0.05, 2)), radius * rng.uniform(-0.2, 0.6)]
    return {
        "mass": float(mass),
        "center_of_mass": [float(x) for x in center],
        "inertia": [
            float(mass * across),
            float(mass * across * rng.uniform(0.9, 1.1)),
            float(mass * axial * 0.95),
        ],
    }


def _strut_bodies(rng: np.random.Generator, low: float, high: float) -> tuple[Document, Document]:
    """Return a cylinder with its motor, and a rod: carbon tubes of 1 % to steel bars of 10 % of their length."""
    bodies: list[Document] = []
    for share in rng.uniform(0.45, 0.8, 2):
        long, density = share * low, float(rng.choice([150.0, 1600.0, 2700.0, 7850.0]))
        thick = 0.5 * long * rng.uniform(0.01, 0.1)
        mass = density * np.pi * thick**2 * long
        bodies.append(
            {
                "mass": float(mass),
                "center_of_mass": float(0.5 * long),
                "inertia": [float(mass * (long**2 / 12 + thick**2 / 4)), float(mass * thick**2 / 2)],
            }
        )
    motor, far = bodies[0]["mass"] * rng.uniform(0, 3), -0.15 * low * rng.uniform()
    mass = bodies[0]["mass"] + motor
    apart = bodies[0]["center_of_mass"] - far
    bodies[0]["center_of_mass"] -= float(apart * motor / mass)
    bodies[0]["inertia"][0] += float(apart**2 * motor * bodies[0]["mass"] / mass + motor * (0.03 * low) ** 2)
    bodies[0]["inertia"][1] += float(motor * (0.03 * low) ** 2)
    bodies[0]["mass"] = float(mass)
    return bodies[0], bodies[1]


def draw_mechanism(rng: np.random.Generator) -> Document:
    """Return a mechanism's file: a five-bar, a serial arm, a delta or a table on two cylinders, of .1 to 10 m."""
    size = 0.1 * 100 ** rng.uniform()
    kinds = (draw_five_bar, draw_serial_arm, draw_delta, _tilting_table)
    return kinds[int(rng.integers(len(kinds)))](rng, size)


def _document(made: Document) -> Document:
    return {"schema": "1", "kind": "mechanism", "name": "drawn", **_as_text(made)}


def _as_text(value: Any) -> Any:
    """Return numbers as the text they have in a file, with six digits."""
    if isinstance(value, dict):
        return {key: _as_text(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_text(one) for one in value]
    if isinstance(value, (bool, str)):
        return value
    return f"{float(value):.9g}"


def _rod(rng: np.random.Generator, length: float, planar: bool = False) -> Document:
    """Return a body along its x from 0 to `length`: a carbon tube up to a steel bar."""
    density = float(rng.choice([150.0, 1600.0, 2700.0, 7850.0]))
    thick = 0.5 * length * rng.uniform(0.01, 0.12)
    mass = density * np.pi * thick**2 * length
    across = mass * (length**2 / 12 + thick**2 / 4)
    center = [length * rng.uniform(0.4, 0.6), 0.0, 0.0]
    if planar:
        return {"mass": mass, "center_of_mass": center, "inertia": [across], "planar": True}
    return {"mass": mass, "center_of_mass": center, "inertia": [mass * thick**2 / 2, across, across, 0, 0, 0]}


def _revolute(bodies: list[str], place: Any, **more: Any) -> Document:
    return {"type": "revolute", "bodies": bodies, "place": place, **more}


_O = [0.0, 0.0, 0.0]


def draw_five_bar(rng: np.random.Generator, size: float) -> Document:
    apart, crank, rod = size * rng.uniform([0.6, 0.5, 0.9], [1.0, 0.8, 1.2])
    left = np.pi / 2 + rng.uniform(0.1, 0.5)
    elbow_x = crank * np.cos(left)
    lean = np.arccos((apart / 2 - elbow_x) / rod) - left
    return _document({
        "gravity": [0, -9.81, 0],
        "bodies": {
            "crank_l": _rod(rng, crank, True), "crank_r": _rod(rng, crank, True),
            "rod_l": _rod(rng, rod, True), "rod_r": _rod(rng, rod, True),
        },
        "joints": {
            "motor_l": _revolute(["ground", "crank_l"], [_O, _O]),
            "motor_r": _revolute(["ground", "crank_r"], [[apart, 0, 0], _O]),
            "elbow_l": _revolute(["crank_l", "rod_l"], [[crank, 0, 0], _O]),
            "elbow_r": _revolute(["crank_r", "rod_r"], [[crank, 0, 0], _O]),
            "tip": _revolute(["rod_l", "rod_r"], [[rod, 0, 0], [rod, 0, 0]]),
        },
        "drives": {
            "q_l": {"joint": "motor_l", "force": "tau_l", "limits": [left - 0.6, left + 0.6]},
            "q_r": {"joint": "motor_r", "force": "tau_r", "limits": [np.pi - left - 0.6, np.pi - left + 0.6]},
        },
        "home": {
            "drives": {"q_l": left, "q_r": np.pi - left},
            "guess": {"motor_l": left, "motor_r": np.pi - left, "elbow_l": lean, "elbow_r": -lean},
        },
    })  # fmt: skip


def draw_serial_arm(rng: np.random.Generator, size: float) -> Document:
    count = int(rng.integers(2, 7))
    lengths = size * rng.uniform(0.15, 0.6, count)
    names = [f"link_{k + 1}" for k in range(count)]
    joints, at = {}, np.zeros(3)
    for k, (name, length) in enumerate(zip(names, lengths, strict=True)):
        before = "ground" if k == 0 else names[k - 1]
        axis = [0, 0, 1] if k % 2 == 0 else [0, 1, 0]
        joints[f"joint_{k + 1}"] = _revolute([before, name], [at.tolist(), _O], axis=axis)
        at = np.array([length, 0.0, 0.05 * size])
    drives = {
        f"angle_{k + 1}": {"joint": f"joint_{k + 1}", "force": f"torque_{k + 1}", "limits": [-2.0, 2.5]}
        for k in range(count)
    }
    home = dict.fromkeys(drives, 0.3)
    bodies = {name: _rod(rng, length) for name, length in zip(names, lengths, strict=True)}
    return _document(
        {
            "gravity": [0, 0, -9.81],
            "bodies": bodies,
            "joints": joints,
            "drives": drives,
            "home": {"drives": home},
        }
    )


def draw_delta(rng: np.random.Generator, size: float) -> Document:
    base, plate, arm, rod = size * rng.uniform([0.3, 0.08, 0.4, 0.95], [0.4, 0.15, 0.5, 1.2])
    turned = np.arccos(-(base + arm - plate) / rod)
    bodies, joints, drives = {}, {}, {}
    for k in range(3):
        c, s = np.cos(2 * np.pi * k / 3), np.sin(2 * np.pi * k / 3)
        bodies[f"arm_{k}"], bodies[f"rod_{k}"] = _rod(rng, arm), _rod(rng, rod)
        joints[f"motor_{k}"] = _revolute(
            ["ground", f"arm_{k}"], [[base * c, base * s, 0], _O],
            axis=[[-s, c, 0], [0, 1, 0]], reference=[[c, s, 0], [1, 0, 0]],
        )  # fmt: skip
        joints[f"elbow_{k}"] = {
            "type": "universal", "bodies": [f"arm_{k}", f"rod_{k}"], "place": [[arm, 0, 0], _O],
            "axis": [[0, 1, 0], [0, 0, 1]],
        }  # fmt: skip
        joints[f"wrist_{k}"] = {
            "type": "universal", "bodies": ["platform", f"rod_{k}"],
            "place": [[plate * c, plate * s, 0], [rod, 0, 0]],
            "axis": [[-s, c, 0], [0, 0, 1]], "reference": [[0, 0, 1], [0, 1, 0]],
        }  # fmt: skip
        drives[f"angle_{k}"] = {"joint": f"motor_{k}", "force": f"torque_{k}", "limits": [-0.7, 1.4]}
    mass = 2700 * np.pi * plate**2 * 0.1 * plate
    bodies["platform"] = {
        "mass": mass,
        "inertia": [*(mass * plate**2 * np.array([0.26, 0.26, 0.5])), 0, 0, 0],
    }
    guess = {**{f"elbow_{k}": [turned, 0] for k in range(3)}, "wrist_0": [turned, 0]}
    outputs = {name: {"body": "platform", "position": name} for name in "xyz"}
    home = {"drives": dict.fromkeys(drives, 0), "guess": guess}
    return _document({"bodies": bodies, "joints": joints, "drives": drives, "outputs": outputs, "home": home})


def _tilting_table(rng: np.random.Generator, size: float) -> Document:
    post, wide, deep = size * rng.uniform([0.5, 0.3, 0.4], [0.8, 0.5, 0.7])
    long = np.hypot(post, 0.05 * size)
    seat = 2700 * 0.1 * size**3 * rng.uniform(0.05, 0.5)
    bodies: Document = {
        "seat": {
            "mass": seat, "center_of_mass": [*(size * rng.normal(0, 0.05, 2)), size * rng.uniform(0.1, 0.8)],
            "inertia": [*(seat * size**2 * rng.uniform(0.08, 0.12, 3)), 0, 0, 0],
        }
    }  # fmt: skip
    joints: Document = {
        "post": {
            "type": "universal", "bodies": ["ground", "seat"], "place": [[0, 0, post], _O],
            "axis": [[1, 0, 0], [0, 1, 0]],
        }
    }  # fmt: skip
    drives = {}
    for k, side in enumerate((1.0, -1.0)):
        cylinder, rod = 7850 * 0.5 * long * (0.03 * size) ** 2, 7850 * 0.5 * long * (0.015 * size) ** 2
        for name, mass, z in ((f"cylinder_{k}", cylinder, 0.25 * long), (f"rod_{k}", rod, -0.25 * long)):
            across = mass * (0.5 * long) ** 2 / 12
            bodies[name] = {
                "mass": mass,
                "center_of_mass": [0, 0, z],
                "inertia": [across, across, 0.02 * across, 0, 0, 0],
            }
        foot = [-deep - 0.05 * size, side * wide, 0]
        joints[f"foot_{k}"] = {
            "type": "universal", "bodies": ["ground", f"cylinder_{k}"], "place": [foot, _O],
            "axis": [[1, 0, 0], [0, 1, 0]],
        }  # fmt: skip
        joints[f"slide_{k}"] = {"type": "prismatic", "bodies": [f"cylinder_{k}", f"rod_{k}"]}
        joints[f"eye_{k}"] = {
            "type": "spherical",
            "bodies": [f"rod_{k}", "seat"],
            "place": [_O, [-deep, side * wide, 0]],
        }
        drives[f"length_{k}"] = {
            "joint": f"slide_{k}",
            "force": f"force_{k}",
            "limits": [0.8 * long, 1.2 * long],
        }
    lean = float(np.arctan2(0.05 * size, post))
    guess = {f"slide_{k}": long for k in range(2)} | {f"foot_{k}": [0, lean] for k in range(2)}
    home = {"drives": dict.fromkeys(drives, long), "guess": guess}
    return _document({"bodies": bodies, "joints": joints, "drives": drives, "home": home})
