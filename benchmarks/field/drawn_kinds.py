# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Machines of every kind drawn anew: other sizes, other masses, and the machine itself 5 to 20 % off its file.

rng = np.random.default_rng(seed)
file = draw_machine(rng, "rss")     # what the user has
truth = draw_truth(rng, file)       # what the log is of: bodies and friction 5 to 20 % off, the same geometry
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pkm_identification.document import read_yaml
from pkm_identification.errors import PkmError
from pkm_identification.machines.contract import DEGRADED
from pkm_identification.machines.load import read_machine
from pkm_identification.mechanisms.builtin import list_builtin_files

from . import parallel_machines
from .drawn_machines import Document, draw_delta, draw_five_bar, draw_hexapod, draw_serial_arm

NEAREST, FARTHEST = 0.05, 0.20  # how far a body or a coefficient of friction is off the file, relative
TRIES = 30  # drawings of one machine until one moves

MAST_BELTS = {
    "actuator": {
        "type": "two_inertia", "torque_constant": "0.03021", "lead": "0.07", "current_limit": "20", "gear_ratio": "15",
        "motor_inertia": "2.028e-5", "load_inertia": "2.43e-6", "stiffness": "67.702", "damping": "3.0e-3",
        "encoder": "motor",
    },
    "control": {
        "position": {"gain": "20", "period": "0.005", "cycles_late": "1"},
        "velocity": {
            "gain": "0.069", "integral": "2.93", "period": "0.001", "rate_feed_forward": "4.8e-3",
            "acceleration_feed_forward": "4.7e-4",
        },
    },
}  # fmt: skip
_VALVE = {"natural_frequency": "1443", "damping": "0.38", "delay": "1.629e-3"}
_CYLINDER = {
    "type": "hydraulic", "current_limit": "0.29", "valve": _VALVE, "oil_compliance": "1.0e-6",
    "hydraulic_compliance": "7.46e-5", "viscous": "501", "transition_rate": "1.0e-3",
    "no_load": [["-0.3", "-0.96"], ["-0.202", "-0.95"], ["0.002", "0"], ["0.008", "0"], ["0.205", "0.73"],
                ["0.3", "0.74"]],
}  # fmt: skip
_VANE = {
    "type": "vane", "gain": "0.16", "current_limit": "0.29", "sensor": {"gain": "3.945"}, "valve": _VALVE,
    "no_load": [["-0.3", "-2.439"], ["-0.213", "-2.438"], ["-0.106", "-1.521"], ["0", "0"], ["0.106", "1.521"],
                ["0.213", "2.438"], ["0.3", "2.439"]],
    "oil_compliance": "69.0e-6", "hydraulic_compliance": "0", "viscous": "56", "coulomb": "15",
    "transition_rate": "1.0e-2",
}  # fmt: skip


def _cylinder(gain: str, sensor: str, zero: str, coulomb: str) -> Document:
    section = {"gain": sensor, "delay": "0.658e-3", "zero": zero}
    return {**_CYLINDER, "gain": gain, "sensor": section, "coulomb": coulomb}


# Valves' currents so small that loops of half their gain hold the arm (a field report's machine)
EPAAS_HYDRAULICS = {
    "actuators": [
        _cylinder("0.155", "200", "0.182263", "200"), _cylinder("0.21", "198", "0.182263", "0"),
        _cylinder("0.07", "201", "0.258053", "150"), _cylinder("0.06", "208", "0.182263", "0"), _VANE,
    ]
}  # fmt: skip


def _read_builtin(folder: str, name: str) -> Document:
    return read_yaml(list_builtin_files(folder)[name], "machine file", numbers_as_text=folder == "mechanisms")


def _times(value: Any, factor: float) -> Any:
    """Return a number, an expression or a list of them times a factor."""
    if isinstance(value, list):
        return [_times(one, factor) for one in value]
    return f"({value})*{factor:.12g}" if isinstance(value, str) else value * factor


def _change(section: Any, factors: Mapping[str, float]) -> None:
    if not isinstance(section, dict):  # a statement of how well parts are known
        return
    for key, factor in factors.items():
        if key in section:
            section[key] = _times(section[key], factor)


def scale_mechanism(document: Document, length: float, mass: float) -> Document:
    """Return a mechanism of another size, similar in all its lengths and masses; its drives have no actuators."""
    made = copy.deepcopy(document)
    moment, inertia = mass * length, mass * length**2
    for body in made["bodies"].values():
        _change(body, {"mass": mass, "center_of_mass": length, "inertia": inertia})
        if isinstance(body, dict) and "parameters" in body:
            powers = [mass, *[moment] * 3, *[inertia] * 6] if len(body["parameters"]) == 10 else None
            powers = powers or [mass, moment, moment, inertia]
            body["parameters"] = [_times(*pair) for pair in zip(body["parameters"], powers, strict=True)]
    sliding = {name for name, joint in made["joints"].items() if joint["type"] == "prismatic"}
    for name, joint in made["joints"].items():
        _change(joint, {"place": length} | ({"limits": length} if name in sliding else {}))
    long = set()
    for part in ("drives", "outputs", "readings"):
        for name, measure in made.get(part, {}).items():
            _change(measure, {"point": length})
            if "length" in measure:
                measure["length"] = {body: _times(point, length) for body, point in measure["length"].items()}
            if "lever" in measure:
                _change(measure["lever"], {"square": length**2, "twice": length**2})
            if {"lever", "length", "position"} & set(measure) or measure.get("joint") in sliding:
                long.add(name)
                _change(measure, {"limits": length, "offset": length})
    home = made.get("home", {})
    for values, chosen in (
        (home.get("drives", {}), long),
        (home.get("outputs", {}), long),
        (home.get("guess", {}), sliding),
    ):
        _change(values, dict.fromkeys(set(values) & chosen, length))
    if "closed_form" in made:
        _change(made["closed_form"], dict.fromkeys(set(made["closed_form"]) - {"name"}, length))
    return made


def _draw_scale(rng: np.random.Generator) -> tuple[float, float]:
    """Return factors of lengths and of masses: from half to twice as large, of lighter or heavier stuff."""
    length = float(2.0 ** rng.uniform(-1.0, 1.0))
    return length, float(length**3 * rng.uniform(0.5, 2.0))


def _draw_friction(rng: np.random.Generator, document: Document) -> Document:
    """Return a mechanism with friction of its drives, 1 to 10 % of what carries its weight."""
    machine = read_machine(document)
    count = len(machine.drives)
    rate = np.array([drive.size for drive in machine.drives])
    coulomb = machine.force_size * rng.uniform(0.01, 0.1, count)
    viscous = machine.force_size * rng.uniform(0.01, 0.1, count) / rate
    friction = {"viscous": viscous, "coulomb": coulomb}
    return document | {"friction": {name: [f"{x:.6g}" for x in values] for name, values in friction.items()}}


def _of_builtin(name: str, jitter: Mapping[str, float]) -> Callable[[np.random.Generator], Document]:
    """Return what draws a built-in mechanism of another size, some of its constants off by up to so much besides."""

    def draw(rng: np.random.Generator) -> Document:
        made = _read_builtin("mechanisms", name)
        for constant, most in jitter.items():
            made["constants"][constant] = _times(made["constants"][constant], 1.0 + most * rng.uniform(-1, 1))
        return _draw_friction(rng, scale_mechanism(made, *_draw_scale(rng)))

    return draw


def _with_drives(name: str, drives: Document) -> Callable[[np.random.Generator], Document]:
    """Return what draws a built-in mechanism with actuators: the same size, other masses."""

    def draw(rng: np.random.Generator) -> Document:
        made = _read_builtin("mechanisms", name)
        return scale_mechanism(made, 1.0, float(rng.uniform(0.8, 1.25))) | copy.deepcopy(drives)

    return draw


def _of_hexapod(name: str) -> Callable[[np.random.Generator], Document]:
    """Return what draws a built-in hexapod: other bodies and friction, drives and geometry as they are."""

    def draw(rng: np.random.Generator) -> Document:
        return draw_truth(rng, _read_builtin("machines", name), 0.1, 0.5)

    return draw


def _of_document(
    build: Callable[..., Document], ratios: Mapping[str, float]
) -> Callable[[np.random.Generator], Document]:
    """Return what draws a machine of some lengths, each off by up to 15 %, of another size."""

    def draw(rng: np.random.Generator) -> Document:
        made = build(**{name: value * rng.uniform(0.85, 1.15) for name, value in ratios.items()})
        return _draw_friction(rng, scale_mechanism(made, *_draw_scale(rng)))

    return draw


def _with_friction(
    build: Callable[[np.random.Generator, float], Document],
) -> Callable[[np.random.Generator], Document]:
    return lambda rng: _draw_friction(rng, build(rng, float(0.2 * 10 ** rng.uniform())))


KINDS: dict[str, Callable[[np.random.Generator], Document]] = {
    "hexapod": draw_hexapod,
    "uf": _of_hexapod("uf"),
    "uf_belt": _of_hexapod("uf_belt"),
    "uf_hydraulic": _of_hexapod("uf_hydraulic"),
    "hexel": _of_hexapod("hexel"),
    "mast": _of_builtin("mast", {"r": 0.03, "H": 0.03}),
    "mast_belts": _with_drives("mast", MAST_BELTS),
    "epaas": _of_builtin("epaas", {"upper": 0.1, "lower": 0.1}),
    "epaas_hydraulic": _with_drives("epaas", EPAAS_HYDRAULICS),
    "four-bar": _of_builtin("four-bar", {"l1": 0.03, "l2": 0.03, "l3": 0.03, "l4": 0.03}),
    "delta": _with_friction(draw_delta),
    "five-bar": _with_friction(draw_five_bar),
    "serial_arm": _with_friction(draw_serial_arm),
    "rss": _of_document(parallel_machines.rss, {"base": 0.12, "plate": 0.09, "reach": 0.27, "turning": 0.10}),
    "pus": _of_document(parallel_machines.pus, {"base": 0.20, "plate": 0.09, "reach": 0.30}),
    "rrr": _of_document(parallel_machines.rrr, {"base": 0.35, "plate": 0.10, "arm": 0.15, "reach": 0.30}),
}  # fmt: skip


def draw_machine(rng: np.random.Generator, kind: str) -> Document:
    """Return the file of a machine of one of KINDS, drawn anew; it loads and can move around home.

    Raises
    ------
    RuntimeError
        If none of TRIES drawings does.
    """
    for _ in range(TRIES):
        try:
            document = KINDS[kind](rng)
            document["name"] = f"drawn-{kind}"
            if _moves(document):
                return document
        except PkmError:
            continue
    raise RuntimeError(f"no machine of kind '{kind}' in {TRIES} drawings")


def _moves(document: Document) -> bool:
    """Whether the drives can go a large change either way from home, all at once."""
    machine = read_machine(document)
    home = machine.home
    size = np.array([drive.size for drive in machine.drives])
    signs = np.array([np.zeros_like(size), np.ones_like(size), -np.ones_like(size)])
    target = home + 0.5 * size * signs
    still = np.zeros_like(target)
    return bool((machine.compute_motion(target, still, still).status <= DEGRADED).all())


def draw_truth(
    rng: np.random.Generator, document: Document, nearest: float = NEAREST, farthest: float = FARTHEST
) -> Document:
    """Return the machine that a file describes badly: bodies and friction off by 5 to 20 %, all else as it is.

    Parameters
    ----------
    rng : Generator
    document : dict
        Of a hexapod or another mechanism.
    nearest, farthest : float
        Least and largest relative error of a number.
    """
    made = copy.deepcopy(document)

    def off() -> float:
        return float(1.0 + rng.choice([-1.0, 1.0]) * rng.uniform(nearest, farthest))

    struts = made.get("struts", [made["strut"]] if "strut" in made else [])
    bodies = [made["platform"]] if "platform" in made else []
    bodies += [strut[body] for strut in struts for body in ("body_b", "body_e")]
    bodies += [] if struts else [one for one in made.get("bodies", {}).values() if isinstance(one, dict)]
    for body in bodies:
        mass = off()
        inertia = mass * off()
        # about the origin, moments must hold what the mass at its centre makes of them
        if body.get("inertia_about") == "origin" or "parameters" in body:
            inertia, center = mass, 1.0
        else:
            center = off()
        _change(body, {"mass": mass, "center_of_mass": center, "inertia": inertia, "parameters": mass})
    friction = made.get("friction", {})
    for name in ("viscous", "coulomb"):
        value = friction.get(name)
        if isinstance(value, list):
            friction[name] = [_times(one, off()) for one in value]
        elif value is not None:
            friction[name] = _times(value, off())
    return made
