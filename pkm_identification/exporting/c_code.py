# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""C99 source of a machine's inverse dynamics, for feed-forward in a controller."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pkm_identification.mechanisms.hexapod.dynamics.basis import (
    PLATFORM_COLUMNS,
    basis_parameters,
    build_friction_of_basis,
    build_joint_friction_of_basis,
    strut_column,
)
from pkm_identification.mechanisms.hexapod.dynamics.records import spin_of
from pkm_identification.mechanisms.hexapod.dynamics.strut import H_B, H_E, I_A, I_X, M_E, M_M
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.multibody.dynamics import drive_inertia
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.motion import STRUTS
from pkm_identification.version import __version__

# Friction by the law's name: the value of a function of the strut's number i and rate r, and what of libm that calls.
FRICTION = {
    "coulomb": ("FRICTION[0][i] * r + FRICTION[1][i] * clipped(r, LAW[0][i])", ""),
    "source": (
        "(fabs(r) <= LAW[0][i] ? 0.0 : FRICTION[0][i] * r) + FRICTION[1][i] * clipped(r, LAW[0][i])",
        "",
    ),
    "asymmetric": (
        "FRICTION[0][i] * r + FRICTION[1][i] * clipped(r, LAW[0][i]) + FRICTION[2][i] * fabs(clipped(r, LAW[0][i]))",
        "",
    ),
    "stribeck": (
        "FRICTION[0][i] * r\n        + FRICTION[1][i] * clipped(r, LAW[0][i])\n        "
        "* (1.0 + (LAW[1][i] - 1.0) * exp(-(r / LAW[2][i]) * (r / LAW[2][i])))",
        "exp",
    ),
    "smooth": ("FRICTION[0][i] * r + FRICTION[1][i] * tanh(r / LAW[0][i])", "tanh"),
}

_OF_STRUT = (M_E, H_E, H_B, I_X, I_A, M_M)


def c_code(machine: Machine) -> str:
    """Inverse dynamics of a machine as one C99 file without allocation or state.

    The same equations as `mechanisms.hexapod.dynamics.inverse` (Oh 2003, 2.39-2.55), with friction of struts and
    joints, and a payload as ten numbers. Functions are named by the machine.

    Parameters
    ----------
    machine : Machine
    """
    law, joints = machine.friction.law.name, machine.joint_friction is not None
    libm = FRICTION[law][1]
    clipped = joints or "clipped" in FRICTION[law][0]
    return fill_template(
        "hexapod.c",
        {
            "NAME": c_comment(machine.name),
            "VERSION": __version__,
            "HASH": machine.hash,
            "LIBM": " and ".join(["sqrt and fabs (exact by IEEE 754)", *([libm] if libm else [])]),
            "PREFIX": c_name(machine.name),
            "CONSTANTS": _format_constants(machine),
            "CLIPPED": "\n@clipped.c@" if clipped else "",
            "FRICTION": c_friction("strut", law),
            "JOINTS": "\n@hexapod_joint_friction.c@" if joints else "",
            "JOINT_CALL": "\n        add_joint_friction(i, s, l, arm, hinge, twist, wrench);"
            if joints
            else "",
        },
    )


def fill_template(name: str, values: Mapping[str, str]) -> str:
    """Return a text of `c_templates/` in which `@KEY@` is its value and `@name.c@` the text of that name."""

    def fill(match: re.Match[str]) -> str:
        return fill_template(match[1], values) if "." in match[1] else expand(values[match[1]])

    def expand(text: str) -> str:
        return re.sub(r"@([\w.]+)@", fill, text)

    return expand((files(__package__) / "c_templates" / f"{name}.in").read_text(encoding="utf-8"))


def c_friction(what: str, law: str) -> str:
    """Return the C function of a friction law: force of drive i at rate r."""
    return f"\nstatic double {what}_friction(int i, double r)\n{{\n    return {FRICTION[law][0]};\n}}\n"


def c_name(name: str) -> str:
    """Return a machine's name as the beginning of names in C."""
    plain = re.sub(r"\W", "_", name, flags=re.ASCII) or "machine"
    return f"machine_{plain}" if plain[0].isdigit() or plain[0] == "_" else plain


def _format_constants(machine: Machine) -> str:
    phi = basis_parameters(machine)
    struts = np.array([[phi[strut_column(i, kind)] for kind in _OF_STRUT] for i in range(STRUTS)])
    tables = [
        build_c_table("GRAVITY", machine.gravity, "m/s^2, base frame"),
        build_c_table("BASE_JOINTS", machine.base_joints, "m, base frame"),
        build_c_table("PLATFORM_JOINTS", machine.platform_joints, "m, platform frame"),
        build_c_table(
            "HINGES", machine.first_axes, "of universal joints, the axis fixed in base or platform"
        ),
        build_c_table(
            "PLATFORM",
            phi[:PLATFORM_COLUMNS],
            "as a payload: kg, kg m, kg m^2 about the platform frame's origin",
        ),
        build_c_table(
            "STRUTS",
            struts,
            "mass of body E, its first moment and body B's from their joints, the rod's moments across and along, the "
            "motor as mass",
        ),
        build_c_table(
            "FRICTION",
            build_friction_of_basis(machine, phi),
            f"of law '{machine.friction.law.name}', by coefficient",
        ),
        build_c_table(
            "LAW",
            machine.friction.parameters,
            "its numbers, of each drive",
        ),
    ]
    if machine.joint_friction is not None:
        comment = "base joints' Coulomb (N m) and viscous (N m s) friction, then the platform joints'"
        tables.append(build_c_table("JOINT_FRICTION", build_joint_friction_of_basis(machine, phi), comment))
        tables.append(
            f"#define JOINT_TRANSITION {_number(machine.joint_friction.transition_rate)} /* rad/s */\n"
        )
    return (
        f"#define SPIN {spin_of(machine)} "
        "/* struts spin by universal joints: 0 not, 1 at the base, 2 at the platform */\n" + "".join(tables)
    )


def build_c_table(name: str, values: NDArray[Any], comment: str) -> str:
    """Return a constant array of numbers, doubles or integers, with a comment."""
    sizes = "".join(f"[{size}]" for size in values.shape)
    kind = "int" if np.issubdtype(values.dtype, np.integer) else "double"
    return f"/* {comment} */\nstatic const {kind} {name}{sizes} = {_format_braced(values)};\n"


def _format_braced(values: NDArray[Any]) -> str:
    if values.ndim == 1:
        return (
            "{"
            + ", ".join(str(value) if isinstance(value, np.integer) else _number(value) for value in values)
            + "}"
        )
    rows = ",\n".join(f"    {_format_braced(row)}" for row in values)
    return f"{{\n{rows}}}"


def _number(value: float) -> str:
    """Return a number that C reads as the same double."""
    return repr(float(value))


def c_comment(text: str) -> str:
    """Return a text as it may stand in a comment."""
    return re.sub(r"[^\w .,+-]", "_", text)


def bodies_c(mechanism: Mechanism) -> str:
    """Return the inverse dynamics of a mechanism as one C99 file without allocation or state of its own.

    The equations of `mechanisms.multibody`: loops are closed from the configuration that the caller hands over.
    Friction of drives and passive joints and the drives' inertia are in it. Functions are named by the machine.

    Parameters
    ----------
    mechanism : Mechanism
        In float64.
    """
    law, limits = mechanism.description.friction.law.name, mechanism.limits(0)
    passive = mechanism.passive_friction
    expression, libm = FRICTION[law]
    numbers = {"TOLERANCE": limits.residual, "LAST_STEP": limits.last_step, "LONGEST": limits.shift}
    if passive is not None:
        numbers["JOINT_TRANSITION"] = passive.friction.transition_rate
    scalars = "".join(f"#define {name} {float(value)!r}\n" for name, value in numbers.items())
    call = "\n    add_passive_friction(q, frames, axes, v, tree);"
    return fill_template(
        "bodies.c",
        {
            "NAME": c_comment(mechanism.name),
            "VERSION": __version__,
            "HASH": mechanism.hash,
            "LIBM": f", {libm}" if libm else "",
            "DRIVES": c_comment(", ".join(mechanism.drive_names)),
            "PREFIX": c_name(mechanism.name),
            "DRIVE_COUNT": str(mechanism.degrees_of_freedom),
            "STATE_COUNT": str(mechanism.tree.coordinates),
            "CONSTANTS": _format_counts(mechanism) + scalars + _format_tables(mechanism),
            "CLIPPED": "\n@clipped.c@" if "clipped" in expression else "",
            "FRICTION": c_friction("drive", law),
            "PASSIVE": "\n@bodies_joint_friction.c@" if passive is not None else "",
            "PASSIVE_CALL": call if passive is not None else "",
        },
    )


def _format_counts(mechanism: Mechanism) -> str:
    counts = {
        "DRIVE_COUNT": mechanism.degrees_of_freedom,
        "FRAME_COUNT": len(mechanism.tree.frames),
        "VELOCITY_COUNT": mechanism.tree.velocities,
        "BODY_COUNT": len(mechanism.description.bodies),
    }
    passive = mechanism.passive_friction
    if passive is not None:
        counts |= {"AXIS_COUNT": len(passive.joint), "TRIPLE_COUNT": len(passive.triples)}
    return f"enum {{ {', '.join(f'{name} = {count}' for name, count in counts.items())} }};\n"


def _format_tables(mechanism: Mechanism) -> str:
    model, friction, passive = mechanism.model, mechanism.description.friction, mechanism.passive_friction
    rows = mechanism.task_rows("drives")
    closing = len(rows)
    if passive is not None:
        rows = np.concatenate([rows, mechanism.row_numbers("rubbing")])
    floats = [
        build_c_table("GRAVITY", model.gravity, "m/s^2"),
        build_c_table("PLACES", model.placement, "each frame in its parent: rotation row by row, origin (m)"),
        build_c_table(
            "PARAMETERS",
            mechanism.parameters,
            "m, mx, my, mz, xx, yy, zz, xy, xz, yz about each body's origin",
        ),
        build_c_table("ROW_VECTORS", model.vector[rows], "points and directions in frames a and b, numbers"),
        build_c_table("ROW_FACTORS", model.factor[rows], "of the tree's joints in combinations"),
        build_c_table("ROW_SCALES", model.row_scale[rows[:closing]], "units of rows"),
        build_c_table("VELOCITY_SCALES", model.velocity_scale, "units of the tree's velocities"),
        build_c_table(
            "INERTIA", np.asarray(drive_inertia(mechanism), dtype=float), "along the drives, kg or kg m^2"
        ),
        build_c_table(
            "FRICTION", friction.coefficients, f"of the drives' law '{friction.law.name}', by coefficient"
        ),
        build_c_table("HOME", np.asarray(mechanism.home, dtype=float), "configuration of the tree"),
    ]
    if "LAW[" in FRICTION[friction.law.name][0]:
        floats.append(build_c_table("LAW", friction.parameters, "its numbers, of each drive"))
    integers = [
        build_c_table("FRAMES", model.frame, "parent, kind, axis, sign, first coordinate, first velocity"),
        build_c_table("VELOCITIES", model.velocity, "frame, whether it turns, coordinate"),
        build_c_table("BODIES", model.body, "frames of the bodies"),
        build_c_table("ROWS", model.row[rows], "kind, frames a and b, turns: loops, then drives"),
    ]
    if passive is not None:
        pairs = np.stack([passive.friction.coulomb, passive.friction.viscous], axis=1)
        floats.append(
            build_c_table("JOINT_FRICTION", pairs, "Coulomb and viscous friction of passive joints, by axis")
        )
        triples = passive.triples if len(passive.triples) else np.zeros(1, dtype=np.int64)
        integers.append(build_c_table("TRIPLES", triples, "first of three axes of joints that turn any way"))
    return "".join([*floats, *integers])
