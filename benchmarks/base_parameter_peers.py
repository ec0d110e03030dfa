# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Peers of base parameters: FIGAROH's QR, SymPy's exact rank, pinocchio's regressor of the hexapod's open tree.

FIGAROH's package loads viewers and optimisers; its QR is one file that needs NumPy and SciPy alone. It is taken from an
installed package, or from the folder that the environment variable FIGAROH names: site-packages of another environment,
in which `pip install figaroh` was run.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

from pkm_identification.mechanisms.hexapod.analysis.base_parameters import random_states
from pkm_identification.mechanisms.hexapod.machine import Machine

from .peers import PinocchioTree

_FILE = Path("figaroh", "tools", "qrdecomposition.py")
_ZERO = 1e-6  # FIGAROH's own bound of a column's squared norm


def figaroh_rank() -> Callable[[np.ndarray], int] | None:
    """FIGAROH's rank of rows (R, P) by its QR with its own tolerances, zero columns left out as it does; or None."""
    file = next((folder / _FILE for folder in _folders() if (folder / _FILE).is_file()), None)
    if file is None:
        return None
    spec = importlib.util.spec_from_file_location("figaroh_qr", file)
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    # its dataclasses look their module up
    sys.modules["figaroh_qr"] = module
    spec.loader.exec_module(module)

    def rank(rows: np.ndarray) -> int:
        left = rows[:, np.sum(rows**2, axis=0) >= _ZERO]
        names = [str(k) for k in range(left.shape[1])]
        return len(module.get_baseIndex(left, names))

    return rank


def _folders() -> list[Path]:
    stated = os.environ.get("FIGAROH")
    return [Path(folder) for folder in ([stated] if stated else []) + sys.path if folder]


def open_tree_columns(machine: Machine, count: int) -> np.ndarray:
    """Pinocchio's regressor (count, 24, 130) of the hexapod cut at its platform joints, in random states."""
    tree = PinocchioTree(machine, random_states(machine, count))
    bodies = [10 * (joint - 1) + k for joint in tree.bodies(machine) for k in range(10)]
    whole = [
        pin.computeJointTorqueRegressor(tree.model, tree.data, q, v, a)
        for q, v, a in zip(tree.q, tree.v, tree.a, strict=True)
    ]
    return np.array(whole)[:, :, bodies]


def parallelogram_rows(count: int, length: Fraction = Fraction(3, 10)) -> list[list[Fraction]]:
    """The parallelogram's regressor by hand, (count, 12): parameters m, mx, my, J of crank, coupler and rocker.

    Crank and rocker turn by q, the coupler only translates with the crank's tip: with c, s of q, acceleration a and
    g = 9.81 the torque is a J + g (c mx - s my) of either, and l^2 a m + l g c m of the coupler.
    """
    gravity, rows = Fraction(981, 100), []
    for k in range(1, count + 1):
        half, a = Fraction(k, count + 5), Fraction(k * k - 7 * k + 3, k + 2)
        c, s = (1 - half**2) / (1 + half**2), 2 * half / (1 + half**2)
        link = [Fraction(0), gravity * c, -gravity * s, a]
        rows.append([*link, length * (length * a + gravity * c), *[Fraction(0)] * 3, *link])
    return rows


def sympy_rank(rows: list[list[Fraction]]) -> Callable[[], int] | None:
    """SymPy's exact rank of rows of fractions; None where it is not installed."""
    try:
        import sympy
    except ImportError:
        return None
    matrix = sympy.Matrix(
        [[sympy.Rational(value.numerator, value.denominator) for value in row] for row in rows]
    )
    return matrix.rank  # type: ignore[no-any-return]
