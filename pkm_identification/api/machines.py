"""Machines: load, compute, export."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from pkm_identification.errors import SettingsError
from pkm_identification.exporting.formats import FORMATS, format_of, write_machine
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.kinematics import ForwardResult, forward_kinematics, strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS, PlatformMotion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import matrix_from_quaternion

AnyMachine = Machine | str | Path


def load_machine(machine: AnyMachine) -> Machine:
    """A machine by its built-in name (`uf`, `hexel`, `ford`) or the path of its YAML file.

    Parameters
    ----------
    machine : str, Path or Machine
        A machine is given back as it is.

    Raises
    ------
    MachineError
        If there is no such machine or its file is wrong: names the key, the value and what is allowed.

    Examples
    --------
    >>> import pkm_identification as pkm
    >>> machine = pkm.load_machine("uf")
    >>> machine.base_joints.shape
    (6, 3)
    """
    return machine if isinstance(machine, Machine) else Machine.load(str(machine))


def inverse(machine: AnyMachine, position: ArrayLike, orientation: ArrayLike | None = None) -> FloatArray:
    """Strut lengths of platform poses.

    Parameters
    ----------
    machine : str, Path or Machine
    position : array, shape (3,) or (N, 3)
        Platform origin in the base frame, m.
    orientation : array, shape (4,), (N, 4), (3, 3) or (N, 3, 3), optional
        Quaternions x, y, z, w of any length, or rotation matrices; the home orientation unless given.

    Returns
    -------
    ndarray, shape (6,) or (N, 6)
        m.

    Raises
    ------
    ValueError
        If the shapes do not fit.

    Examples
    --------
    >>> import pkm_identification as pkm
    >>> lengths = pkm.inverse("uf", [[0.0, 0.0, -0.35], [0.01, 0.0, -0.35]], [0.0, 0.0, 0.0, 1.0])
    >>> lengths.shape
    (2, 6)
    """
    whole = load_machine(machine)
    points = np.asarray(position, dtype=float)
    single = points.ndim == 1
    points = np.atleast_2d(points)
    if points.ndim != 2 or points.shape[1] != 3:
        raise ValueError(f"position has shape {np.shape(position)}, expected (3,) or (N, 3)")
    length = strut_lengths(whole, points, _rotations(whole, orientation, len(points)))
    return length[0] if single else length


def forward(machine: AnyMachine, lengths: ArrayLike) -> ForwardResult:
    """Platform poses of strut lengths, from the home pose's assembly mode.

    Parameters
    ----------
    machine : str, Path or Machine
    lengths : array, shape (6,) or (N, 6)
        m.

    Returns
    -------
    ForwardResult
        Arrays of N: position, rotation, status, residual and condition; `found` says where there is a pose.

    Raises
    ------
    ValueError
        If the shape does not fit.

    Examples
    --------
    >>> import pkm_identification as pkm
    >>> poses = pkm.forward("uf", pkm.inverse("uf", [0.0, 0.01, -0.34]))
    >>> bool(poses.found.all()), float(poses.position[0, 2].round(6))
    (True, -0.34)
    """
    values = np.atleast_2d(np.asarray(lengths, dtype=float))
    if values.ndim != 2 or values.shape[1] != STRUTS:
        raise ValueError(f"lengths has shape {np.shape(lengths)}, expected (6,) or (N, 6)")
    return forward_kinematics(load_machine(machine), values)


def forces(machine: AnyMachine, motion: PlatformMotion, friction: bool = True) -> FloatArray:
    """Strut forces a platform motion needs.

    Parameters
    ----------
    machine : str, Path or Machine
    motion : PlatformMotion
        N samples of pose, twist and acceleration.
    friction : bool
        Whether friction, by the law of the machine file, is part of it.

    Returns
    -------
    ndarray, shape (N, 6)
        N; NaN in singular poses.

    Examples
    --------
    At rest at home the six forces carry the machine's weight:

    >>> import numpy as np
    >>> import pkm_identification as pkm
    >>> machine = pkm.load_machine("uf")
    >>> still = pkm.PlatformMotion(
    ...     time=np.zeros(1), position=machine.home_position[None], rotation=machine.home_rotation[None],
    ...     twist=np.zeros((1, 6)), acceleration=np.zeros((1, 6)),
    ... )
    >>> pkm.forces(machine, still).shape
    (1, 6)
    """
    return strut_forces(load_machine(machine), motion, friction=friction)


def export(machine: AnyMachine, path: str | Path, form: str | None = None) -> Path:
    """Write a machine for other programs: URDF, MJCF or a machine file.

    Parameters
    ----------
    machine : str, Path or Machine
        An identified one is `Result.machine_identified()`.
    path : str or Path
        Appears complete or not at all.
    form : {'urdf', 'mjcf', 'yaml'}, optional
        By the name of the file unless given.

    Raises
    ------
    SettingsError
        If the format is unknown or the name does not tell it.
    OutputError
        If the file cannot be written.

    Examples
    --------
    >>> import pkm_identification as pkm
    >>> pkm.export("uf", "uf.urdf").name
    'uf.urdf'
    """
    chosen = form or format_of(path)
    if chosen is None:
        raise SettingsError(f"{path}: give form, one of {', '.join(FORMATS)}; the name does not tell")
    write_machine(path, load_machine(machine), chosen)
    return Path(path)


def _rotations(machine: Machine, orientation: ArrayLike | None, count: int) -> FloatArray:
    if orientation is None:
        return np.broadcast_to(machine.home_rotation, (count, 3, 3))
    given = np.asarray(orientation, dtype=float)
    if given.shape[-1:] == (4,):
        given = matrix_from_quaternion(np.atleast_2d(given))
    if given.shape in ((3, 3), (1, 3, 3)):
        given = np.broadcast_to(given.reshape(3, 3), (count, 3, 3))
    if given.shape != (count, 3, 3):
        raise ValueError(
            f"orientation has shape {np.shape(orientation)}, expected quaternions (4,) or (N, 4), "
            "or matrices (3, 3) or (N, 3, 3)"
        )
    return given
