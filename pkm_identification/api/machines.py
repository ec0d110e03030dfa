# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Machines of any kind: load, compute, export."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, overload

import numpy as np
from numpy.typing import ArrayLike

from pkm_identification.errors import SettingsError
from pkm_identification.exporting.formats import FORMATS, format_of, write_machine
from pkm_identification.mechanisms.builtin import HEXAPOD, find_kind
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.kinematics.forward import ForwardResult, forward_kinematics
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS, PlatformMotion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import matrix_from_quaternion

if TYPE_CHECKING:
    from pkm_identification.mechanisms.multibody.kinematics import MechanismMotion
    from pkm_identification.mechanisms.multibody.mechanism import Mechanism

    from .outputs import OutputPoses

AnyMachine = Machine | str | Path


@overload
def load_machine(machine: Machine) -> Machine: ...
@overload
def load_machine(machine: Mechanism) -> Mechanism: ...
@overload
def load_machine(machine: str | Path) -> Machine | Mechanism: ...
def load_machine(machine: AnyMachine | Mechanism) -> Machine | Mechanism:
    """Return a machine by its built-in name (`uf`, `mast`, `four-bar`, ...) or the path of its YAML file.

    Parameters
    ----------
    machine : str, Path, Machine or Mechanism
        A machine is given back as it is. Of a file `kind` or its keys say whether it is a hexapod or bodies with
        joints.

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
    >>> pkm.load_machine("mast").output_names
    ('z', 'psi', 'theta')
    """
    if not isinstance(machine, (str, Path)):
        return machine
    if find_kind(machine) == HEXAPOD:  # for a hexapod nothing of other machines is loaded
        return Machine.load(str(machine))
    from pkm_identification.mechanisms.multibody.mechanism import Mechanism

    return Mechanism.load(machine)


def inverse(
    machine: AnyMachine | Mechanism,
    position: ArrayLike,
    orientation: ArrayLike | None = None,
    *,
    threads: int = 1,
) -> FloatArray:
    """Return strut lengths of platform poses; of a mechanism, driven coordinates of its outputs.

    Parameters
    ----------
    machine : str, Path, Machine or Mechanism
    position : array, shape (3,) or (N, 3)
        Platform origin in the base frame, m; of a mechanism its outputs, (n,) or (N, n), m or rad.
    orientation : array, shape (4,), (N, 4), (3, 3) or (N, 3, 3), optional
        Quaternions x, y, z, w of any length, or rotation matrices; the home orientation unless given.
    threads : int
        How many share the rows, 1 to 1024; the numbers are those of one. Of hexapods alone.

    Returns
    -------
    ndarray, shape (6,) or (N, 6)
        m; of a mechanism (n,) or (N, n), m or rad.

    Raises
    ------
    ValueError
        If the shapes do not fit.
    SettingsError
        If an orientation or threads are given for a mechanism, or `threads` is no such number.
    MotionRefused
        If a mechanism does not reach a row: names it and what is in the way.

    Examples
    --------
    >>> import pkm_identification as pkm
    >>> lengths = pkm.inverse("uf", [[0.0, 0.0, -0.35], [0.01, 0.0, -0.35]], [0.0, 0.0, 0.0, 1.0])
    >>> lengths.shape
    (2, 6)
    >>> pkm.inverse("mast", [0.4, 0.0, 0.0]).round(6).tolist()
    [0.144853, 0.144853, 0.144853]
    """
    whole = load_machine(machine)
    if not isinstance(whole, Machine):
        from .outputs import drives_of

        _refuse_threads(threads)
        if orientation is not None:
            raise SettingsError("orientation: a mechanism's outputs are given in position alone")
        return drives_of(whole, position)
    points = np.asarray(position, dtype=float)
    single = points.ndim == 1
    points = np.atleast_2d(points)
    if points.ndim != 2 or points.shape[1] != 3:
        raise ValueError(f"position has shape {np.shape(position)}, expected (3,) or (N, 3)")
    length = strut_lengths(whole, points, _read_rotations(whole, orientation, len(points)), threads)
    return length[0] if single else length


@overload
def forward(machine: AnyMachine, lengths: ArrayLike, *, threads: int = 1) -> ForwardResult: ...
@overload
def forward(machine: Mechanism, lengths: ArrayLike, *, threads: int = 1) -> OutputPoses: ...
def forward(
    machine: AnyMachine | Mechanism, lengths: ArrayLike, *, threads: int = 1
) -> ForwardResult | OutputPoses:
    """Platform poses of strut lengths, from the home pose's assembly mode; of a mechanism, outputs of drives.

    Parameters
    ----------
    machine : str, Path, Machine or Mechanism
    lengths : array, shape (6,) or (N, 6)
        m; of a mechanism its driven coordinates, (n,) or (N, n), m or rad.
    threads : int
        How many share the rows, 1 to 1024; the numbers are those of one. Of hexapods alone.

    Returns
    -------
    ForwardResult or OutputPoses
        Arrays of N: position, rotation, status, residual and condition, or outputs, status and residual of a
        mechanism; `found` says where there is a pose.

    Raises
    ------
    ValueError
        If the shape does not fit.
    SettingsError
        If threads are given for a mechanism, or `threads` is no such number.

    Examples
    --------
    >>> import pkm_identification as pkm
    >>> poses = pkm.forward("uf", pkm.inverse("uf", [0.0, 0.01, -0.34]))
    >>> bool(poses.found.all()), float(poses.position[0, 2].round(6))
    (True, -0.34)
    """
    whole = load_machine(machine)
    if not isinstance(whole, Machine):
        from .outputs import poses_of

        _refuse_threads(threads)
        return poses_of(whole, lengths)
    values = np.atleast_2d(np.asarray(lengths, dtype=float))
    if values.ndim != 2 or values.shape[1] != STRUTS:
        raise ValueError(f"lengths has shape {np.shape(lengths)}, expected (6,) or (N, 6)")
    return forward_kinematics(whole, values, threads=threads)


def forces(
    machine: AnyMachine | Mechanism,
    motion: PlatformMotion | MechanismMotion,
    friction: bool = True,
    *,
    threads: int = 1,
) -> FloatArray:
    """Return strut forces a platform motion needs; of a mechanism, its driven forces.

    Parameters
    ----------
    machine : str, Path, Machine or Mechanism
    motion : PlatformMotion or MechanismMotion
        N samples of pose, twist and acceleration; a mechanism's motion is made by `output_motion`.
    friction : bool
        Whether friction, by the law of the machine file, is part of it.
    threads : int
        How many share the rows, 1 to 1024; the numbers are those of one. Of hexapods alone.

    Returns
    -------
    ndarray, shape (N, 6)
        N; NaN in singular poses. Of a mechanism (N, n), N or N m.

    Raises
    ------
    SettingsError
        If threads are given for a mechanism, or `threads` is no such number.

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
    whole = load_machine(machine)
    if not isinstance(whole, Machine):
        from .outputs import driven_forces

        _refuse_threads(threads)
        return driven_forces(whole, motion, friction)
    if not isinstance(motion, PlatformMotion):
        raise TypeError(f"motion is a {type(motion).__name__}, expected a PlatformMotion")
    return strut_forces(whole, motion, friction=friction, threads=threads)


def export(machine: AnyMachine | Mechanism, path: str | Path, form: str | None = None) -> Path:
    """Write a machine for other programs: MJCF, SDF, C, URDF, LinuxCNC or a machine file.

    Parameters
    ----------
    machine : str, Path, Machine or Mechanism
        An identified one is `Result.machine_identified()`.
    path : str or Path
        Appears complete or not at all.
    form : {'urdf', 'urdf-home', 'ros2_control', 'mjcf', 'sdf', 'yaml', 'c', 'linuxcnc'}, optional
        By the name of the file unless given; linuxcnc is for hexapods.

    Raises
    ------
    SettingsError
        If the format is unknown, the name does not tell it, or the machine has not what it needs.
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
        raise SettingsError(
            f"{path}: give form, one of {', '.join(FORMATS)}: the file name has none of their endings"
        )
    write_machine(path, load_machine(machine), chosen)
    return Path(path)


def _refuse_threads(threads: int) -> None:
    """Refuse threads for what is worked through row after row."""
    if threads != 1:
        raise SettingsError(f"threads {threads!r}: batches of hexapods alone are shared out among threads")


def _read_rotations(machine: Machine, orientation: ArrayLike | None, count: int) -> FloatArray:
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
