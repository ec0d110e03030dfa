# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What is asked for its base parameters: a mechanism or a hexapod as named columns, in double or in many digits."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from pkm_identification.errors import NotConverged, SettingsError
from pkm_identification.estimation.identifiability.exact import ModularRows
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Kind

from ...hexapod.analysis.base_parameters import random_states
from ...hexapod.dynamics.thirteen_bodies import body_mapping, compute_body_regressor, list_body_parameters
from ...hexapod.kinematics.jacobian import jacobian
from ...hexapod.machine import Machine
from ...rigid_bodies import BODY_KINDS, BODY_PARAMETERS
from ..dynamics import regressor
from ..loading import load_description
from ..mechanism import Mechanism
from ..numbers.padic import NotInThisField
from ..parameters import build_rigid_basis, build_rigid_columns
from .basis import choose_basis, read_structure_rows
from .exact_states import BITS, build_exact_columns, checked_exact
from .modular_start import NearHome, fractions_near_home
from .states import compute_structure_motion
from .symbolic.base import SymbolicBaseParameters, list_symbolic_base_parameters

FRICTION_KINDS = (Kind.VISCOUS, Kind.COULOMB)


def list_friction_names(drives: Sequence[str]) -> tuple[str, ...]:
    """Two coefficients a drive: all viscous ones, then all Coulomb ones."""
    return tuple(f"{kind}_{drive}" for kind in ("viscous", "coulomb") for drive in drives)


def with_friction_columns(columns: Any, rate: Any, signs: Any = None) -> Any:
    """Return a regressor (N, n, P) with 2 n columns more, in its own arithmetic.

    Parameters
    ----------
    columns : ndarray, shape (N, n, P)
    rate : ndarray, shape (N, n)
        Of the driven coordinates, m/s or rad/s.
    signs : ndarray, shape (N, n), optional
        Of the rates, where they have none of their own.
    """
    count, drives = rate.shape
    signs = np.array((rate > 0).astype(int) - (rate < 0).astype(int)) if signs is None else signs
    nothing = columns.flat[0] * 0
    friction_columns = np.full((count, drives, 2 * drives), nothing, dtype=columns.dtype)
    for k in range(drives):
        friction_columns[:, k, k] = rate[:, k]
        friction_columns[:, k, drives + k] = signs[:, k] + nothing
    return np.concatenate([columns, friction_columns], axis=2)


def random_signs(count: int, drives: int, seed: int) -> Any:
    """Signs (N, n) of p-adic rates: these have none, and a real rate's can be either whatever the configuration is."""
    source = random.Random(seed)
    signs = np.empty((count, drives), dtype=object)
    for index in np.ndindex(count, drives):
        signs[index] = source.choice((-1, 1))
    return signs


_SPARE_STATES = 2
_HEXAPOD_STATES = 40
_BRANCHES_TRIED = 8
_SAME_FORCES = 1e-9  # of the largest, in double precision


@dataclass(frozen=True)
class Subject:
    """A machine whose rigid bodies' parameters are asked for.

    Attributes
    ----------
    name : str
    names : tuple of str, length P
        Of the parameters.
    kinds : tuple of Kind, length P
        Mass, first moment or inertia.
    nominal : ndarray, shape (P,)
        The description's values, SI units.
    row_units : tuple of str, length n
        Of the driven forces: N or N m.
    platform : tuple of str
        Parameters to keep where there is a choice.
    mechanism : Mechanism
        In float64.
    machine : Machine or None
        The hexapod it is, if it is one.
    mapping : ndarray of int64, shape (B, P)
        Columns of the bodies, ten or four each, to those of `names`.
    rubbing : bool
        Whether two coefficients of friction for each drive follow these.
    """

    name: str
    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    nominal: FloatArray
    row_units: tuple[str, ...]
    platform: tuple[str, ...]
    mechanism: Mechanism
    machine: Machine | None
    mapping: np.ndarray
    rubbing: bool = False

    @classmethod
    def load(cls, name_or_path: str | Path, symmetry: str = "general") -> Subject:
        """Return a machine by its name or file.

        Parameters
        ----------
        name_or_path : str or Path
        symmetry : str
            What is known of a hexapod's struts, see `hexapod.dynamics.thirteen_bodies.body_mapping`.

        Raises
        ------
        MachineError
            If there is no such machine or its description cannot be used.
        SettingsError
            If a mechanism that is no hexapod is asked for a symmetry.
        """
        machine = load_description(name_or_path)
        if isinstance(machine, Machine):
            return cls.of_machine(machine, symmetry)
        if symmetry != "general":
            raise SettingsError(
                f"symmetry '{symmetry}': only a hexapod has struts that can be equal or round"
            )
        return cls.of_mechanism(machine)

    @classmethod
    def of_mechanism(cls, mechanism: Mechanism) -> Subject:
        """Ten parameters a body, four of a planar one."""
        basis = build_rigid_basis(mechanism)
        units = tuple(drive.force_unit for drive in mechanism.description.drives)
        return cls(
            mechanism.name,
            basis.names,
            tuple(entry.kind for entry in basis),
            basis.nominal,
            units,
            (),
            mechanism,
            None,
            np.eye(len(basis), dtype=np.int64),
        )

    @classmethod
    def of_machine(cls, machine: Machine, symmetry: str = "general") -> Subject:
        """Return the thirteen bodies of a hexapod, or fewer parameters of struts that are alike or round."""
        names, mapping = body_mapping(symmetry)
        kinds = tuple(
            BODY_KINDS[int(np.flatnonzero(column)[0]) % len(BODY_PARAMETERS)] for column in mapping.T
        )
        # struts that are not quite what the symmetry says are so on average
        nominal = np.linalg.pinv(mapping) @ list_body_parameters(machine)
        platform = tuple(
            name
            for name, column in zip(names, mapping.T, strict=True)
            if column[: len(BODY_PARAMETERS)].any()
        )
        return cls(
            machine.name,
            names,
            kinds,
            nominal,
            ("N",) * 6,
            platform,
            Mechanism.from_machine(machine),
            machine,
            mapping.astype(np.int64),
        )

    def with_friction(self) -> Subject:
        """Return the same with a viscous and a Coulomb coefficient for each drive, zero in the description."""
        count = len(self.row_units)
        return replace(
            self,
            names=(*self.names, *list_friction_names(self.mechanism.drive_names)),
            kinds=(*self.kinds, *(kind for kind in FRICTION_KINDS for _ in range(count))),
            nominal=np.concatenate([self.nominal, np.zeros(2 * count)]),
            rubbing=True,
        )

    @property
    def kept(self) -> tuple[str, ...]:
        """Parameters to keep where there is a choice, so that sums have the names that identifications give them."""
        if self.machine is not None:
            return self.platform
        rigid = choose_basis(self.mechanism)
        return (*(self.names[k] for k in rigid.independent), *self.names[len(rigid.names) :])

    @property
    def stated_motion(self) -> bool:
        """Whether the states asked are those of a motion in the description; else they are random."""
        return self.mechanism.description.motion is not None

    def columns(self, seed: int = 0) -> FloatArray:
        """Return the regressor (N, n, P) in double precision, N n at least P."""
        if self.machine is not None:
            states = random_states(self.machine, _HEXAPOD_STATES, seed)
            rows = compute_body_regressor(self.machine, states) @ self.mapping
            per_twist = jacobian(self.machine, states.position, states.rotation)
            return self._rub(rows, np.einsum("nij,nj->ni", per_twist, states.twist))
        return self._rub(*read_structure_rows(self.mechanism, seed))

    def precise_columns(self, digits: int, seed: int = 0) -> Any:
        """The regressor (N, n, P) in mpmath numbers of so many digits, made with those digits from the first step on.

        Raises
        ------
        SettingsError
            If a constant was given as a floating-point number.
        """
        mechanism, motion = compute_structure_motion(self.exact_mechanism(), self._states, digits, seed)
        return self._rub(self._chosen(regressor(mechanism, motion)), motion.drive_rate)

    def modular_columns(self, prime: int, seed: int = 0, bits: int = BITS[-1]) -> ModularRows | None:
        """Return the regressor modulo a power of a prime of so many bits; None if there is no state with this prime.

        Raises
        ------
        SettingsError
            If a constant was given as a floating-point number, or no fraction or root of
            one is meant by it.
        """
        mechanism = self.exact_mechanism()
        checked_exact(mechanism)
        try:
            columns = build_exact_columns(mechanism, prime, self._states, self._near_home, seed, bits)
        except NotInThisField:
            return None
        rows = self._chosen(columns.rows[None])[0] % columns.modulus
        if self.rubbing:
            drives = mechanism.degrees_of_freedom
            signs = random_signs(self._states, drives, seed + prime)
            rows = with_friction_columns(rows.reshape(self._states, drives, -1), columns.rate, signs)
            rows = rows.reshape(self._states * drives, -1) % columns.modulus
        return replace(columns, rows=rows)

    def transfers(self, wanted_out: Collection[str] = (), seed: int = 0) -> SymbolicBaseParameters:
        """Base parameters by the rules of inertia transfer.

        Raises
        ------
        SettingsError
            If a constant was given as a floating-point number.
        NotConverged
            If all states found among the p-adic numbers lie on other branches of the loops than home.
        """
        mechanism = self.exact_mechanism()
        keep = () if wanted_out else self.platform
        names, more = (
            self.names[: self.mapping.shape[1]],
            self.names[self.mapping.shape[1] :],
        )
        for attempt in range(_BRANCHES_TRIED):
            base = list_symbolic_base_parameters(
                mechanism,
                names,
                build_rigid_columns(mechanism),
                self.mapping,
                wanted_out,
                keep,
                seed + attempt,
            )
            if self._holds(base):
                break
        else:
            raise NotConverged(
                f"{self.name}: route 'symbolic': no states on home's branch of the loops were found"
            )
        # odd in the rates, as no body's force is: every coefficient stands by itself
        return base.extend_with(more)

    def _holds(self, base: SymbolicBaseParameters) -> bool:
        """Return whether what is given up does what is said in its place, at states of home's own branch."""
        rows = self.columns()[:, :, : self.mapping.shape[1]].reshape(-1, self.mapping.shape[1])
        out = base.elimination
        left = rows[:, out.given_up] - rows[:, out.kept] @ out.coefficients.astype(float)
        return bool(np.abs(left).max(initial=0.0) <= _SAME_FORCES * np.abs(rows).max(initial=0.0))

    def exact_mechanism(self) -> Mechanism:
        """Return the mechanism, its constants known to be exact; raises as `precise_columns`."""
        return self._exact_mechanism

    @cached_property
    def _exact_mechanism(self) -> Mechanism:
        if self.machine is None:
            _refuse_floats(self.mechanism.description.document, self.mechanism.description.source)
        return self.mechanism

    @cached_property
    def _near_home(self) -> NearHome | None:
        # the same for every prime
        return fractions_near_home(self.exact_mechanism())

    @property
    def _states(self) -> int:
        return -(-len(self.names) // self.mechanism.degrees_of_freedom) + _SPARE_STATES

    def _rub(self, columns: Any, rate: Any) -> Any:
        return with_friction_columns(columns, rate) if self.rubbing else columns

    def _chosen(self, columns: Any) -> Any:
        own = columns[:, :, build_rigid_columns(self.mechanism)]
        if self.mapping.shape[0] == self.mapping.shape[1]:
            return own
        # zeros of the mapping would cost as much as its ones
        parts = [own[:, :, np.flatnonzero(column)].sum(axis=2) for column in self.mapping.T]
        return np.stack(parts, axis=2)


def _refuse_floats(part: Any, source: str, where: str = "") -> None:
    """A floating-point number is a nearby binary fraction and not the decimal that was meant.

    Raises
    ------
    SettingsError
        If there is one in a description: names it.
    """
    if isinstance(part, float):
        raise SettingsError(
            f"{source}: {where} = {part!r} is a floating-point number; where digits count, constants must be text "
            f"such as '{part!r}', or fractions"
        )
    entries: Collection[tuple[Any, Any]] = ()
    if isinstance(part, dict):
        entries = part.items()
    elif isinstance(part, (list, tuple)):
        entries = list(enumerate(part))
    for key, value in entries:
        inner = f"[{key}]" if isinstance(key, int) else (f".{key}" if where else str(key))
        _refuse_floats(value, source, where + inner)
