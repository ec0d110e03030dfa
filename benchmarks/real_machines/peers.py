# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Plain least squares with other programs' regressors, on the same samples: what a practitioner does first.

Positions are resampled evenly, low-passed without phase at the cutoff that this package took, and differentiated twice;
friction is viscous and Coulomb; forces are low-passed alike. No weights, no prior, no noise model. A program that is
not installed is left out, and that is said.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace

import mujoco
import numpy as np
from scipy.interpolate import CubicSpline
from scipy.signal import butter, sosfiltfilt

from benchmarks.mechanism_peers import PinocchioMechanism
from pkm_identification.mechanisms.multibody.kinematics import read
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.simulation.multibody.mjcf import build_mechanism_mjcf

from .logs import Log

_ORDER = 4  # of the low-pass, each way
_SLOW = (
    0.01  # of the rms rate: below it Coulomb friction passes linearly, else noise of a standing axis decides
)
_PER_PERIOD = 4  # samples kept per period of the cutoff


@dataclass(frozen=True)
class Samples:
    """Coordinates, rates, accelerations and forces (N, n) below the cutoff, at even stamps."""

    coordinate: np.ndarray
    rate: np.ndarray
    acceleration: np.ndarray
    force: np.ndarray


Regressor = Callable[[Mechanism, Samples], np.ndarray]


def prepare(log: Log, cutoff: float) -> Samples:
    """Return the samples of a log below a cutoff in Hz."""
    rising = np.append(True, np.diff(log.time) > 0)
    time = log.time[rising]
    step = float(np.median(np.diff(time)))
    even = np.arange(time[0], time[-1], step)
    low = butter(_ORDER, cutoff, fs=1 / step, output="sos")
    coordinate = sosfiltfilt(low, CubicSpline(time, log.coordinate[rising])(even), axis=0)
    force = np.stack([np.interp(even, time, column) for column in log.force[rising].T], axis=1)
    rate = np.gradient(coordinate, step, axis=0)
    every = max(1, int(1 / (step * cutoff * _PER_PERIOD)))
    kept = slice(len(even) // 50, -len(even) // 50, every)  # without the filter's ends
    return Samples(
        coordinate[kept],
        rate[kept],
        np.gradient(rate, step, axis=0)[kept],
        sosfiltfilt(low, force, axis=0)[kept],
    )


def with_pinocchio(mechanism: Mechanism, samples: Samples) -> np.ndarray:
    """Return the regressor (N, n, P) of pinocchio."""
    import pinocchio as pin

    tree = PinocchioMechanism(mechanism)
    return np.array(
        [
            pin.computeJointTorqueRegressor(tree.model, tree.data, *state)
            for state in zip(samples.coordinate, samples.rate, samples.acceleration, strict=True)
        ]
    )


def with_figaroh(mechanism: Mechanism, samples: Samples) -> np.ndarray:
    """Return the regressor (N, n, P) of figaroh's base parameters, with friction, inertia of motors and offsets."""
    from figaroh.tools.qrdecomposition import build_baseRegressor, get_baseIndex
    from figaroh.tools.regressor import build_regressor_basic, build_regressor_reduced, get_index_eliminate

    tree = PinocchioMechanism(mechanism)
    robot = SimpleNamespace(model=tree.model, data=tree.data)
    count = samples.rate.shape[1]
    config: dict[str, object] = {
        "has_friction": True,
        "has_actuator_inertia": True,
        "has_joint_offset": True,
        "is_joint_torques": True,
        "act_idxv": list(range(count)),
    }
    whole = build_regressor_basic(robot, samples.coordinate, samples.rate, samples.acceleration, config)
    names = {f"p{k}": 0.0 for k in range(whole.shape[1])}
    if _FIGAROH_COLUMNS.get(mechanism.name) is None:
        unseen, kept = get_index_eliminate(whole, names)
        seen = build_regressor_reduced(whole, unseen)
        _FIGAROH_COLUMNS[mechanism.name] = (unseen, get_baseIndex(seen, kept))
    unseen, base = _FIGAROH_COLUMNS[mechanism.name]
    rows = build_baseRegressor(build_regressor_reduced(whole, unseen), base)
    return np.swapaxes(rows.reshape(count, len(samples.rate), -1), 0, 1)


# chosen on the training log, kept for the held-out one
_FIGAROH_COLUMNS: dict[str, tuple[object, tuple[int, ...]]] = {}


def with_mujoco_sysid(mechanism: Mechanism, samples: Samples) -> np.ndarray:
    """Return the regressor (N, n, P) of mujoco_sysid, of the model that `pkm export` writes."""
    from mujoco_sysid.regressors import joint_torque_regressor

    model = mujoco.MjModel.from_xml_string(build_mechanism_mjcf(mechanism))
    data, rows = mujoco.MjData(model), []
    for state in zip(samples.coordinate, samples.rate, samples.acceleration, strict=True):
        data.qpos[:], data.qvel[:], data.qacc[:] = state
        mujoco.mj_inverse(model, data)
        mujoco.mj_rnePostConstraint(model, data)
        rows.append(joint_torque_regressor(model, data))
    return np.array(rows)


PEERS: dict[str, tuple[str, Regressor, bool]] = {
    "pinocchio": ("pinocchio", with_pinocchio, True),
    "figaroh": ("figaroh", with_figaroh, False),
    "mujoco_sysid": ("mujoco_sysid", with_mujoco_sysid, True),
}


def installed() -> dict[str, str]:
    """Return the versions of the peers that are there."""
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for name, (module, _, _) in PEERS.items():
        if importlib.util.find_spec(module) is not None:
            try:
                found[name] = version({"pinocchio": "pin"}.get(name, name))
            except PackageNotFoundError:
                found[name] = "?"
    return found


def find_coupling(mechanism: Mechanism) -> tuple[np.ndarray, np.ndarray]:
    """Return what drives measure of the joints of an open chain: factors (n, n) and offsets (n,)."""
    joints = np.vstack([np.zeros(len(mechanism.home)), np.eye(len(mechanism.home))])
    zero, *moved = (read(mechanism, "drives", row)[0] for row in joints)
    return np.array(moved).T - zero[:, None], zero


def held_out_errors(
    peer: str, mechanism: Mechanism, training: Sequence[Samples], held_out: Samples
) -> np.ndarray:
    """Return the error of the held-out forces by drive and in all (n + 1,), % of their rms."""
    _, regressor, bare = PEERS[peer]

    slow = _SLOW * np.sqrt(np.mean(np.concatenate([one.rate for one in training]) ** 2, axis=0))

    coupling, zero = find_coupling(mechanism)
    inverse = np.linalg.inv(coupling)

    def rows(samples: Samples) -> np.ndarray:
        joints = Samples(
            (samples.coordinate - zero) @ inverse.T,
            samples.rate @ inverse.T,
            samples.acceleration @ inverse.T,
            samples.force,
        )
        found = np.einsum("ji,njp->nip", inverse, regressor(mechanism, joints))
        if not bare:
            return found
        each = np.eye(samples.rate.shape[1])
        friction = [
            samples.rate[:, :, None] * each,
            np.clip(samples.rate / slow, -1.0, 1.0)[:, :, None] * each,
        ]
        return np.concatenate([found, *friction], axis=2)

    columns = np.concatenate([rows(one) for one in training])
    force = np.concatenate([one.force for one in training])
    values = np.linalg.lstsq(columns.reshape(-1, columns.shape[2]), force.ravel(), rcond=1e-8)[0]
    error = held_out.force - rows(held_out) @ values
    squares = np.append(np.mean(error**2, axis=0), np.mean(error**2))
    sizes = np.append(np.mean(held_out.force**2, axis=0), np.mean(held_out.force**2))
    return 100 * np.sqrt(squares / sizes)
