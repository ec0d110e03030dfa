"""The regressor of thirteen rigid bodies with ten parameters each: 130 columns, nothing assumed of any body.

Body frames: the platform's is the platform frame; body B's origin is the base joint, body E's the platform joint, both
with z along the strut, y = z x x1 / |z x x1| (the second hinge of a universal joint) and x = y x z. Per body mass,
first moments and inertia about the frame's origin (xx, yy, zz, xy, xz, yz). Newton-Euler per body and virtual power,
written for batches in NumPy: made to count and group parameters, not to run online.

A strut without spin has no frame fixed in it that its pose decides (its turning is not integrable); there the frame
above stands in for it at every instant, as it does in the source.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.motion import STRUTS, PlatformMotion
from pkm_identification.numerics.arrays import FloatArray

from ..kinematics.jacobian import jacobian
from ..machine import Machine, StrutBody
from .basis import PLATFORM_NAMES, inertia_about_origin

BODY_PARAMETERS = len(PLATFORM_NAMES)
BODY_COLUMNS = (1 + 2 * STRUTS) * BODY_PARAMETERS
BODIES = ("p", *(f"{body}_{i + 1}" for i in range(STRUTS) for body in "be"))
BODY_NAMES = tuple(f"{name}_{body}" for body in BODIES for name in PLATFORM_NAMES)
SYMMETRIES = ("general", "alike", "axisymmetric", "axisymmetric_alike")


def body_parameters(machine: Machine) -> FloatArray:
    """What a machine's thirteen bodies weigh and how, each with ten parameters of its own.

    Returns
    -------
    ndarray, shape (130,)
        In the order of BODY_NAMES; per body mass (kg), first moments (kg m) and inertia xx, yy, zz, xy, xz, yz (kg m^2)
        about its frame's origin: the platform frame's, the base joint for a body B, the platform joint for a body E.
    """

    def of(mass: float, first: FloatArray, inertia: FloatArray) -> list[float]:
        products = inertia[[0, 0, 1], [1, 2, 2]]
        return [mass, *first, *np.diag(inertia), *products]

    def rod(body: StrutBody, place: float) -> list[float]:
        across = body.transverse + body.mass * place**2
        return of(body.mass, np.array([0.0, 0.0, body.mass * place]), np.diag([across, across, body.axial]))

    platform = machine.platform
    values = of(platform.mass, platform.mass * platform.center_of_mass, inertia_about_origin(machine))
    for strut in machine.struts:
        values += rod(strut.body_b, strut.body_b.center_of_mass)
        values += rod(strut.body_e, -strut.body_e.center_of_mass)
    return np.array(values)


def body_mapping(symmetry: str) -> tuple[tuple[str, ...], FloatArray]:
    """How fewer parameters build up the 130 when struts are alike or round.

    Parameters
    ----------
    symmetry : {'general', 'alike', 'axisymmetric', 'axisymmetric_alike'}
        130 parameters; six equal struts: 30; struts symmetric about their axes (m, mz, It, Ia per body): 58; both: 18.

    Returns
    -------
    names : tuple of str, length P
    mapping : ndarray, shape (130, P)
        body parameters = mapping w.

    Raises
    ------
    ValueError
        If there is no such symmetry.
    """
    if symmetry not in SYMMETRIES:
        raise SettingsError(f"symmetry '{symmetry}': must be one of {', '.join(SYMMETRIES)}")
    kinds: dict[str, tuple[int, ...]] = {name: (k,) for k, name in enumerate(PLATFORM_NAMES)}
    platform = dict(kinds)
    if symmetry.startswith("axisymmetric"):
        kinds = {"m": (0,), "mz": (3,), "It": (4, 5), "Ia": (6,)}
    alike = symmetry.endswith("alike")
    names = [f"{name}_p" for name in platform]
    columns = [np.eye(BODY_COLUMNS)[rows[0]] for rows in platform.values()]
    for i in range(1 if alike else STRUTS):
        for body in range(2):
            for kind, rows in kinds.items():
                column = np.zeros(BODY_COLUMNS)
                for j in range(STRUTS) if alike else (i,):
                    for row in rows:
                        column[(1 + 2 * j + body) * BODY_PARAMETERS + row] = 1.0
                names.append(f"{kind}_{'be'[body]}" if alike else f"{kind}_{'be'[body]}_{i + 1}")
                columns.append(column)
    return tuple(names), np.column_stack(columns)


def _skew(a: FloatArray) -> FloatArray:
    result = np.zeros((*a.shape[:-1], 3, 3))
    result[..., 0, 1], result[..., 0, 2], result[..., 1, 2] = -a[..., 2], a[..., 1], -a[..., 0]
    result[..., 1, 0], result[..., 2, 0], result[..., 2, 1] = a[..., 2], -a[..., 1], a[..., 0]
    return result


def _inertia_operator(a: FloatArray) -> FloatArray:
    """L(a), shape (N, 3, 6): inertia times a is L(a) (Ixx, Iyy, Izz, Ixy, Ixz, Iyz)."""
    x, y, z = a[:, 0], a[:, 1], a[:, 2]
    o = np.zeros(len(a))
    rows = [[x, o, o, y, z, o], [o, y, o, x, o, z], [o, o, z, o, x, y]]
    return np.moveaxis(np.array(rows), 2, 0)


def _newton_euler(rotation: FloatArray, omega: FloatArray, alpha: FloatArray, a_g: FloatArray):
    """Force and moment about the frame's origin per unit of a body's ten parameters, each (N, 3, 10)."""
    force = np.zeros((len(omega), 3, BODY_PARAMETERS))
    moment = np.zeros_like(force)
    turning = _skew(omega)
    force[:, :, 0] = a_g
    force[:, :, 1:4] = (_skew(alpha) + turning @ turning) @ rotation
    moment[:, :, 1:4] = -_skew(a_g) @ rotation
    alpha_b = np.einsum("nji,nj->ni", rotation, alpha)
    omega_b = np.einsum("nji,nj->ni", rotation, omega)
    moment[:, :, 4:] = rotation @ (_inertia_operator(alpha_b) + _skew(omega_b) @ _inertia_operator(omega_b))
    return force, moment


def body_regressor(machine: Machine, motion: PlatformMotion) -> FloatArray:
    """Strut forces per unit of each of the 130 parameters: the forces without friction are Y w.

    Parameters
    ----------
    machine : Machine
        Geometry, joints and gravity are used; masses, motors and friction are not.
    motion : PlatformMotion
        Its poses must be regular.

    Returns
    -------
    ndarray, shape (N, 6, 130)
        SI units, columns in the order of BODY_NAMES.

    Raises
    ------
    numpy.linalg.LinAlgError
        If a pose is singular.
    """
    v, w = motion.twist[:, :3], motion.twist[:, 3:]
    a, al = motion.acceleration[:, :3], motion.acceleration[:, 3:]
    g, x1 = machine.gravity, machine.first_axis
    wrench = np.zeros((len(motion), 6, BODY_COLUMNS))
    force, moment = _newton_euler(motion.rotation, w, al, a - g)
    wrench[:, :3, :BODY_PARAMETERS] = force
    wrench[:, 3:, :BODY_PARAMETERS] = moment
    for i in range(STRUTS):
        arm = motion.rotation @ machine.platform_joints[i]
        span = motion.position + arm - machine.base_joints[i]
        v_p = v + np.cross(w, arm)
        a_p = a + np.cross(al, arm) + np.cross(w, np.cross(w, arm))
        length = np.linalg.norm(span, axis=1, keepdims=True)
        s = span / length
        rate = np.sum(v_p * s, axis=1, keepdims=True)
        s_dot = (v_p - rate * s) / length
        second = np.sum(a_p * s, axis=1, keepdims=True) + length * np.sum(s_dot**2, axis=1, keepdims=True)
        s_ddot = (a_p - second * s - 2 * rate * s_dot) / length
        omega, alpha = np.cross(s, s_dot), np.cross(s, s_ddot)
        hinge = np.cross(s, x1)
        size = np.linalg.norm(hinge, axis=1, keepdims=True)
        y = hinge / size
        x = np.cross(y, s)
        axes = np.stack([x, y, s], axis=2)
        angular = _skew(s) / length[..., None]  # strut's angular velocity per velocity of the platform joint
        if machine.universal:
            # the cross stays rigid: w = t1' x1 + t2' y; across the strut it is known, with x1 . x = |z x x1|
            along = (s @ x1)[:, None]
            first = np.sum(omega * x, axis=1, keepdims=True) / size
            second = np.sum(omega * y, axis=1, keepdims=True)
            omega = first * x1 + second * y
            # likewise alpha = t1'' x1 + t2'' y + t2' y'
            turned = second * first * np.cross(x1, y)
            across = alpha + first * along * s_dot - turned
            alpha = np.sum(across * x, axis=1, keepdims=True) / size * x1
            alpha += np.sum(across * y, axis=1, keepdims=True) * y + turned
            first_per_v = np.einsum("nk,nkj->nj", x, angular) / size
            angular = angular + np.einsum("ni,nj->nij", s, along * first_per_v)
        at_p = np.zeros((len(motion), 3, 2 * BODY_PARAMETERS))
        _, moment = _newton_euler(axes, omega, alpha, np.broadcast_to(-g, s.shape))
        at_p[:, :, :BODY_PARAMETERS] = np.swapaxes(angular, 1, 2) @ moment
        force, moment = _newton_euler(axes, omega, alpha, a_p - g)
        at_p[:, :, BODY_PARAMETERS:] = force + np.swapaxes(angular, 1, 2) @ moment
        k = BODY_PARAMETERS * (1 + 2 * i)
        wrench[:, :3, k : k + 2 * BODY_PARAMETERS] = at_p
        wrench[:, 3:, k : k + 2 * BODY_PARAMETERS] = _skew(arm) @ at_p
    transposed = np.swapaxes(jacobian(machine, motion.position, motion.rotation), 1, 2)
    return np.linalg.solve(transposed, wrench).astype(float, copy=False)
