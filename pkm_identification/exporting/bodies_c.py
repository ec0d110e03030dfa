# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""C99 source of the inverse dynamics of bodies with joints, loops closed, for feed-forward in a controller."""

from __future__ import annotations

import numpy as np

from pkm_identification.mechanisms.multibody.dynamics import drive_inertia
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.version import __version__

from .c_code import FRICTION, build_c_table, c_comment, c_friction, c_name, fill_template


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
