# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The arm EPAAS as its five hydraulic actuators feel it: inertia, coupling, modes, forces (Machielsen 1983, 8.2)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.mechanisms.actuator_space import (
    Modes,
    actuator_mass,
    compute_single_frequency,
    coupling_factors,
    effective_mass,
    find_damped_modes,
)
from pkm_identification.mechanisms.multibody import dynamics, kinematics
from pkm_identification.mechanisms.multibody.groups import drive_groups
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.setpoints import add_point_mass, spline_setpoints
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.report.figures.style import (
    ESTIMATE,
    NOMINAL,
    TRUE,
    apply_style,
    categories_across,
    legend_outside,
)

from .arm_forces import (
    ACTUATOR_MASS,
    ACTUATORS,
    COMPLIANCE,
    DATA,
    JOINT_MASS,
    LEAKAGE,
    OFFSET_LENGTHS,
    PRINTED,
    VISCOUS,
    ForceSplit,
    split_at_speed,
)

GRID = 181
UPRIGHT = np.radians(90.0)
BENT = np.radians(120.0)  # alpha: half way of the stroke of L3, about
ASIDE = np.triu_indices(5, 1)
ASIDE_NEAR, JOINT_NEAR = 9e-3, 6.5e-5  # relative: what the digits of the printed J move entries by; kg m^2
# setpoints of ours: phi, alpha, beta, gamma, psi in degrees, a second apart
PLACES = (
    (0, 90, 0, 0, 0),
    (45, 120, -20, 20, 0),
    (90, 100, 20, -20, 20),
    (135, 81, 10, 0, -20),
    (180, 90, 0, 0, 0),
)


@dataclass(frozen=True)
class MassCurves:
    """Effective masses in kg over an angle, without and with the payload.

    Attributes
    ----------
    angle : ndarray, shape (K,)
        rad.
    bare, loaded : ndarray, shape (K,)
    """

    angle: FloatArray
    bare: FloatArray
    loaded: FloatArray


@dataclass(frozen=True)
class ArmStudy:
    """What the figures draw, and values by their names in the study's file.

    Attributes
    ----------
    lift, grip : MassCurves
        L3 over alpha, L1 over gamma.
    alone : ndarray, shape (5,)
        Hz, each actuator with the others held, of the printed actuator mass.
    modes : Modes
        Of the whole arm, damped, of the same.
    forces : dict of int to ForceSplit
        By speed.
    values : dict
    """

    lift: MassCurves
    grip: MassCurves
    alone: FloatArray
    modes: Modes
    forces: dict[int, ForceSplit]
    values: dict[str, Any]


def run_study() -> ArmStudy:
    """Compute everything."""
    arm = Mechanism.load("epaas")
    loaded = add_point_mass(arm, DATA["payload"]["mass"], np.array([0.0, 0.0, DATA["payload"]["place"]]))
    alpha, gamma = np.radians(np.linspace(60.0, 150.0, GRID)), np.radians(np.linspace(-45.0, 45.0, GRID))
    lift, grip, elbow, turn = (
        _compute_curves(arm, loaded, output, angle, drive)
        for output, angle, drive in ((1, alpha, 2), (3, gamma, 0), (2, gamma, 3), (1, alpha, 4))
    )
    alone = compute_single_frequency(effective_mass(ACTUATOR_MASS), COMPLIANCE, LEAKAGE, VISCOUS)
    modes = find_damped_modes(ACTUATOR_MASS, COMPLIANCE, LEAKAGE, VISCOUS)
    forces = {speed: split_at_speed(arm, speed) for speed in (1, 5)}
    values: dict[str, Any] = {
        **_compare_masses(arm),
        **_compute_coupling(arm, loaded),
        **_name_extents({"L3": lift, "L1": grip, "L4": elbow, "the vane": turn}),
        **_name_curves("lift", lift, BENT, "bent"),
        **_name_curves("grip", grip, 0.0, "level"),
        **{f"Mode of {name}": float(one) for name, one in zip(ACTUATORS, alone, strict=True)},
        "Modes damped together": modes.frequency.tolist(),
        "alone_listed": ", ".join(f"{k} {v:.4g}" for k, v in zip(ACTUATORS, alone, strict=True)),
        "modes_listed": ", ".join(
            f"{frequency:.4g} Hz ({ACTUATORS[leading]}, damping {damping:.2f})"
            for frequency, damping, leading in zip(modes.frequency, modes.damping, modes.leading, strict=True)
        ),
        **_compute_vane(arm, float(alone[4])),
        **_name_forces(forces),
    }
    return ArmStudy(lift, grip, alone, modes, forces, values)


def _compare_masses(arm: Mechanism) -> dict[str, Any]:
    """Return mass matrices of joints and actuators next to the printed ones, and the coupling factors of both."""
    target = np.array([OFFSET_LENGTHS])
    middle = kinematics.close_drives(arm, target).required(target, "drives")
    mass = actuator_mass(JOINT_MASS, drive_jacobian(arm, middle))
    off = np.abs(mass / ACTUATOR_MASS - 1.0)
    upright = pose_arm(arm, np.array([[0.0, UPRIGHT, 0.0, 0.0, 0.0]]))
    joint_off = np.abs(dynamics.tree_mass_matrix(arm, _find_start(arm))[0] - JOINT_MASS)
    printed = dynamics.tree_mass_matrix(_compute_with_printed_digits(arm), upright)[0]
    joints, actuators = 100.0 * coupling_factors(JOINT_MASS), 100.0 * coupling_factors(mass[:4, :4])
    return {
        **{
            f"CJA of {name}, from the printed J": float(one)
            for name, one in zip(ACTUATORS, np.diag(mass), strict=True)
        },
        "diagonal_off": 100.0 * np.diag(off).max(),
        "aside_off": 100.0 * off[ASIDE].max(),
        "aside_held": off[ASIDE] < ASIDE_NEAR,
        "joint_off": joint_off.max(),
        "printed_off": np.abs(printed - JOINT_MASS).max(),
        "joint_held": joint_off[np.triu_indices(5)] < JOINT_NEAR,
        "Coupling factors of J, joints 1 to 5": joints,
        "Coupling factors of CJA, L1 to L4": actuators,
        "Coupling factors of CJA, joints 2 to 5 as printed": actuators[[2, 3, 0, 1]],
        "joint_listed": _list(joints),
        "actuator_listed": _list(actuators),
    }


def _name_extents(curves: dict[str, MassCurves]) -> dict[str, FloatArray]:
    """Return the least and the largest effective mass by drive and load."""
    return {
        f"Effective mass of {name}{load}": np.array([part.min(), part.max()])
        for name, one in curves.items()
        for load, part in (("", one.bare), (" with 4 kg", one.loaded))
    }


def _name_curves(name: str, curves: MassCurves, pose: float, pose_name: str) -> dict[str, Any]:
    """Return ends of a curve, where it is least, and its value at one pose, by their names in the file."""
    found: dict[str, Any] = {f"{name}_least": float(np.degrees(curves.angle[np.argmin(curves.bare)]))}
    for load, part in (("", curves.bare), ("_loaded", curves.loaded)):
        found[f"{name}{load}_ends"] = f"{part.min():.4g} to {part.max():.4g}"
        found[f"{name}{load}_{pose_name}"] = float(np.interp(pose, curves.angle, part))
    return found


def _compute_vane(arm: Mechanism, alone: float) -> dict[str, float]:
    """Return what the vane's measured modes say of its oil."""
    inertia, compliance = float(JOINT_MASS[0, 0]), float(COMPLIANCE[4])
    test_inertia, load = DATA["vane_test"]["inertia"], DATA["vane_test"]["load"]
    wrist = float(np.hypot(*kinematics.read(arm, "readings", _find_start(arm))[0][:2]))

    def frequency(mass: float) -> float:
        return float(compute_single_frequency(np.array(mass), np.array(compliance)))

    return {
        "vane": alone,
        "vane_loaded": frequency(test_inertia),
        "vane_lever": float(np.sqrt((test_inertia - inertia) / load)),
        "vane_at_wrist": frequency(inertia + load * wrist**2),
        "wrist": wrist,
        "vane_compliance": 1.0 / ((2.0 * np.pi * PRINTED["Mode of the vane, no load"]) ** 2 * inertia),
    }


def _name_forces(forces: dict[int, ForceSplit]) -> dict[str, Any]:
    """Return parts of torques and forces by speed, and what must hold between them."""
    one, five = forces[1], forces[5]
    moved = ("T_in", "T_cin", "T_cen", "T_cor")
    scaled = np.concatenate([np.abs(five.torques[name] - 25.0 * one.torques[name]) for name in moved])
    gap = max(part for split in forces.values() for part in (split.torque_gap, split.force_gap))
    square, own = five.wrong_square
    return {
        **{
            f"{name} at {speed} x speed": part
            for speed, split in forces.items()
            for name, part in {**split.torques, **split.forces}.items()
        },
        "total_l1": one.forces["F_tot"][0],
        "total_4": one.torques["T_tot"][3],
        "square_4": float(five.forces["F_V2"][3]),
        "own_4": float(five.forces["F_in"][3]),
        "external_4": float(five.torques["T_ext"][3]),
        "wrong_square_4": square,
        "wrong_own_4": own,
        "part_gap": gap,
        "parts_sum": [gap < 1e-9],
        "scale_gap": scaled.max(),
        "parts_scale": scaled < 1e-9,
    }


def _compute_coupling(arm: Mechanism, loaded: Mechanism) -> dict[str, float]:
    """Return inertial coupling and terms of speed over gravity along our setpoints, %, of L3 and L4."""
    at = pose_arm(arm, np.radians(PLACES).astype(float))
    places = kinematics.read(arm, "drives", at)
    found: dict[str, float] = {}
    for load, one in (("", arm), ("_loaded", loaded)):
        for speed, name in ((1, ""), (5, "_five")):
            time = np.arange(len(places)) / speed
            groups = drive_groups(
                one, kinematics.motion_of_drives(one, *spline_setpoints(time, places, 0.01 / speed))
            )
            largest = np.abs(groups.gravity[:, 2:4]).max(axis=0)
            moved = np.abs(groups.centripetal + groups.coriolis)[:, 2:4].max(axis=0)
            found[f"speed{name}{load}" if name else f"speed_part{load}"] = _compute_most(moved, largest)
            if not name:
                coupling = np.abs(groups.coupling[:, 2:4]).max(axis=0)
                found["coupling_loaded" if load else "coupling_part"] = _compute_most(coupling, largest)
    return found


def _compute_most(part: FloatArray, whole: FloatArray) -> float:
    return 100.0 * float(np.max(part / whole))


def _find_start(arm: Mechanism) -> FloatArray:
    return pose_arm(arm, np.radians([DATA["start_up"]]))


def _list(values: FloatArray) -> str:
    return ", ".join(f"{one:.1f}" for one in values)


def pose_arm(arm: Mechanism, outputs: FloatArray) -> FloatArray:
    """Configurations (N, 5) of phi, alpha, beta, gamma and psi, (N, 5) in rad."""
    return kinematics.close_outputs(arm, outputs).required(outputs, "outputs")


def drive_jacobian(arm: Mechanism, configuration: FloatArray) -> FloatArray:
    """Rates of the drives per rate of the joints (5, 5) at one configuration (1, 5)."""
    count = arm.degrees_of_freedom
    one_by_one = kinematics.moving(
        arm, np.repeat(configuration, count, axis=0), np.eye(count), np.zeros((count, count))
    )
    return np.linalg.inv(one_by_one.velocity.T)


def _compute_with_printed_digits(arm: Mechanism) -> Mechanism:
    """Return the arm with the two centres of mass as the table prints them: x of link 3 -.201, y of link 5 +.0024 m."""
    bodies = [body.name for body in arm.description.bodies]
    masses = arm.parameters[:, 0]
    third, fifth = np.zeros(10), np.zeros(10)
    third[1] = -0.001 * masses[bodies.index("link_3")]
    fifth[2] = 2 * 0.0024 * masses[bodies.index("link_5")]
    return _compute_changed(_compute_changed(arm, "link_3", third), "link_5", fifth)


def _compute_changed(arm: Mechanism, body: str, more: FloatArray) -> Mechanism:
    parameters = np.array(arm.parameters)
    parameters[[one.name for one in arm.description.bodies].index(body)] += more
    return replace(arm, parameters=parameters)


def _compute_curves(
    arm: Mechanism, loaded: Mechanism, output: int, angle: FloatArray, drive: int
) -> MassCurves:
    outputs = np.zeros((len(angle), 5))
    outputs[:, 1] = UPRIGHT
    outputs[:, output] = angle
    at = pose_arm(arm, outputs)
    bare, heavy = (effective_mass(dynamics.mass_matrix(one, at))[:, drive] for one in (arm, loaded))
    return MassCurves(angle, bare, heavy)


@apply_style
def draw_effective_mass_figure(study: ArmStudy) -> Figure:
    """Effective masses of L3 and L1 over their angle, the printed ranges as well."""
    figure = Figure(figsize=(9, 6), layout="constrained")
    panels = figure.subplots(2, 2, sharex="col")
    columns = (
        ("L3 (kg)", "alpha (deg)", study.lift, "L3"),
        ("L1 (kg)", "gamma (deg)", study.grip, "L1"),
    )
    for column, (name, angle, curves, drive) in enumerate(columns):
        ends = [PRINTED[f"Effective mass of {drive}{load}"] for load in ("", " with 4 kg")]
        for row, (values, printed, load) in enumerate(
            zip((curves.bare, curves.loaded), ends, ("no load", "4 kg"), strict=True)
        ):
            panel = panels[row, column]
            panel.axhspan(*printed, color=TRUE, alpha=0.12, label="printed range")
            panel.plot(np.degrees(curves.angle), values, color=ESTIMATE, label="ours")
            panel.set_ylabel(f"{name}, {load}")
            panel.set_ylim(0.0, None)
        panels[1, column].set_xlabel(angle)
    legend_outside(figure, *panels[0, 0].get_legend_handles_labels(), loc="lower center", ncols=2)
    figure.suptitle("What an actuator moves while the others stand still", x=0.01, ha="left")
    return figure


@apply_style
def modes_figure(study: ArmStudy) -> Figure:
    """Modes of each actuator alone and of all together, next to the source's."""
    figure = Figure(figsize=(8, 4), layout="constrained")
    panel = figure.subplots()
    order = np.argsort(study.alone)
    for index, k in enumerate(order):
        name = ACTUATORS[k]
        first = index == 0
        panel.plot(
            index - 0.1, study.alone[k], "o", color=ESTIMATE, label="ours, the others held" if first else None
        )
        together = study.modes.frequency[study.modes.leading == k]
        panel.plot(
            np.full(len(together), index + 0.1), together, "s", color=ESTIMATE, markerfacecolor="white",
            label="ours, all together, damped" if first else None,
        )  # fmt: skip
        bare = ", no load" if name == "vane" else ", measured on the robot"
        for source, marker, label, color in (
            (f"Mode of {name}", "_", "source, model", TRUE),
            (f"Mode of {'the vane' if name == 'vane' else name}{bare}", "x", "source, measured", NOMINAL),
        ):
            if source in PRINTED:
                panel.plot(index, PRINTED[source], marker, color=color, markersize=14 if marker == "_" else 7,
                           label=label if first else None)  # fmt: skip
    panel.set_yscale("log")
    panel.set_xticks(range(len(order)), [ACTUATORS[k] for k in order])
    ticks = (20, 30, 50, 100, 200, 400)
    panel.set_yticks(ticks, [str(tick) for tick in ticks])
    panel.minorticks_off()
    categories_across(panel, "frequency (Hz)")
    panel.legend(loc="upper left")
    figure.suptitle("Modes on the oil at start-up", x=0.01, ha="left")
    return figure


@apply_style
def forces_figure(study: ArmStudy) -> Figure:
    """Return forces of L3, L4 and L1 by cause at five-fold speed, ours and the printed."""
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    panels = figure.subplots(1, 3)
    names = ("F_in", "F_vis", "F_V2", "F_ext", "F_tot")
    for panel, actuator in zip(panels, (2, 3, 0), strict=True):
        places = np.arange(len(names))
        panel.bar(
            places - 0.2,
            [study.forces[5].forces[n][actuator] for n in names],
            0.38,
            color=ESTIMATE,
            label="ours",
        )
        printed = [PRINTED[f"{n} at 5 x speed"][actuator] for n in names]
        panel.bar(
            places + 0.2,
            [np.nan if p is None else p for p in printed],
            0.38,
            color=TRUE,
            alpha=0.6,
            label="source",
        )
        panel.set_xticks(places, names)
        panel.set_title(ACTUATORS[actuator])
        categories_across(panel, "N")
    legend_outside(figure, *panels[0].get_legend_handles_labels(), loc="lower center", ncols=2)
    figure.suptitle("Forces by cause at the printed state, five-fold speed", x=0.01, ha="left")
    return figure
