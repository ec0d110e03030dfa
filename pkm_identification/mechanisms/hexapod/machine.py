# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The machine: its YAML description, validated once, immutable."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from pkm_identification.document import YAML_ENDINGS, Node, Problems, frozen, read_yaml
from pkm_identification.errors import MachineError, SettingsError
from pkm_identification.mechanisms.friction import Friction, read_friction
from pkm_identification.motion import STRUT_NAMES, STRUTS
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import matrix_from_quaternion

from ..actuators import read_actuators
from ..actuators.base import Actuator
from ..actuators.control_section import MachineControl, read_control
from ..actuators.two_inertia import by_encoder
from ..builtin import HEXAPOD, MECHANISM, find_kind, list_builtin_files, read_kind
from ..known_statements import NO_STATEMENTS, Statements, check_statements, take_statements, write_statements
from ..reported import NOTHING_REPORTED, Reported
from ..tolerances import Tolerances, read_tolerances
from .bodies import Platform, Strut, read_platform, read_struts
from .drive import Drive, read_drive
from .geometry import SINGULAR_RATIO, compute_jacobian_quality, compute_joint_radius
from .joint_friction import JointFriction, read_joint_friction
from .joint_limits import NO_LIMITS, JointLimits
from .joints import read_joint_names, read_joints
from .plausibility import check_plausibility, propose_geometry_units
from .sensors import MachineSensors, machine_sensors
from .short_forms import written_out

SCHEMA = 1
# Sizes in m a parallel machine can have, from a chip's positioner to a telescope's.
SMALLEST_EXTENT, LARGEST_EXTENT = 1e-6, 1e6
ARRAYS = (
    "gravity", "base_joints", "platform_joints", "first_axes", "home_position", "home_rotation", "length_limits",
)  # fmt: skip


@dataclass(frozen=True)
class Machine:
    """A hexapod: geometry, bodies, friction and drives.

    Attributes
    ----------
    base_joints, platform_joints : ndarray, shape (6, 3)
        Joint centres in the base and in the platform frame, m.
    base_joint : {'no_spin', 'universal', 'spherical'}
    platform_joint : {'spherical', 'universal'}
        One end may have universal joints: crosses whose first hinges `first_axes` are fixed there, and which therefore
        spin the struts about their own axes. Where none has, struts do not spin: the source's idealisation, and what
        spherical joints without friction leave a strut at that is symmetric about its axis.
    first_axes : ndarray, shape (6, 3)
        Of the struts' universal joints, unit vectors in the frame of their end.
    home_position, home_rotation : ndarray, shapes (3,) and (3, 3)
        Pose of the platform frame in the base frame.
    length_limits : ndarray, shape (2,)
        Shortest and longest strut in m.
    rate_limit : float or None
        Largest strut rate in m/s.
    friction : Friction
        Along the struts.
    joint_friction : JointFriction or None
        Of the joints; None where the file has none, and the model no parameters of it.
    actuators : tuple of six Actuator, or None
        Drives with states of their own; None: forces follow their commands.
    control : MachineControl or None
        Controllers in those drives.
    document, full_document : dict
        The file without what it says of how well it is known, and the same with all defaults written out.
    known : Statements
        How well the file's numbers are known, by what it says.
    joint_limits : JointLimits
        How far the passive joints may turn from home.
    joint_names : tuple of six str
        What drivers call the struts, in messages, recordings and columns.
    """

    name: str
    description: str
    gravity: FloatArray
    base_joints: FloatArray
    platform_joints: FloatArray
    base_joint: str
    platform_joint: str
    first_axes: FloatArray
    home_position: FloatArray
    home_rotation: FloatArray
    length_limits: FloatArray
    rate_limit: float | None
    platform: Platform
    struts: tuple[Strut, ...]
    friction: Friction
    joint_friction: JointFriction | None
    drive: Drive | None
    sensors: MachineSensors
    tolerances: Tolerances
    document: dict[str, Any]
    full_document: dict[str, Any]
    actuators: tuple[Actuator, ...] | None = None
    control: MachineControl | None = None
    joint_limits: JointLimits = NO_LIMITS
    joint_names: tuple[str, ...] = STRUT_NAMES
    known: Statements = NO_STATEMENTS

    def __post_init__(self) -> None:
        """Arrays that cannot be written, also of a machine made by `replace`: one type for every kernel."""
        for name in ARRAYS:
            value = getattr(self, name)
            if value.flags.writeable or not value.flags.c_contiguous:
                object.__setattr__(self, name, frozen(np.array(value, dtype=float, order="C")))

    @property
    def universal(self) -> bool:
        """Whether one end has real universal joints, which spin the struts."""
        return self.base_joint == "universal" or self.hinged_platform

    @property
    def hinged_platform(self) -> bool:
        """Whether that end is the platform."""
        return self.platform_joint == "universal"

    def without_spin(self) -> Machine:
        """The same machine with struts that do not spin."""
        return replace(self, base_joint="no_spin", platform_joint="spherical")

    @property
    def rubs(self) -> bool:
        """Whether there is any friction, along the struts or in the joints."""
        return self.friction.acts or (self.joint_friction is not None and self.joint_friction.acts)

    def without_friction(self) -> Machine:
        """Return the same machine with all coefficients of friction zero."""
        joints = None if self.joint_friction is None else self.joint_friction.scale(0.0)
        return replace(self, friction=self.friction.without(), joint_friction=joints)

    @property
    def motor_mass(self) -> float:
        """Mass in kg along each strut that resists like its turning motor; 0 without drives."""
        return 0.0 if self.drive is None else self.drive.motor_mass

    def turning_mass(self, strut: int) -> float:
        """Return mass in kg that turns rigidly with a strut (0 to 5): its motor's, and what its actuator says."""
        own = 0.0 if self.actuators is None else self.actuators[strut].inertia
        return self.motor_mass + own

    def driven_mass(self, strut: int) -> float:
        """The same with what turns behind a compliance: below its resonance the reported force moves that, too."""
        behind = 0.0 if self.actuators is None else self.actuators[strut].inertia_behind
        return self.turning_mass(strut) + behind

    @cached_property
    def length_scale(self) -> float:
        """Length in m that makes moments and forces comparable: the platform joints' rms radius."""
        return compute_joint_radius(self.platform_joints)

    @property
    def file(self) -> dict[str, Any]:
        """The file with what it says of how well its numbers are known."""
        return write_statements(self.document, self.known)

    @cached_property
    def hash(self) -> str:
        """Short digest of the description, to tell whether a saved estimate belongs to this machine."""
        canonical = json.dumps(self.document, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()[:16]

    @property
    def reported(self) -> tuple[Reported, ...]:
        """How reports of its drives that are no length or force become one, strut by strut."""
        own = (NOTHING_REPORTED,) * STRUTS if self.drive is None else self.drive.reported
        return tuple(
            one if self.actuators is None else one.with_motor(self.actuators[i].motor)
            for i, one in enumerate(own)
        )

    @property
    def has_both_encoders(self) -> bool:
        """Whether there are drives with an encoder on either side."""
        return any(one.has_both_encoders for one in self.actuators or ())

    def with_encoder(self, side: str) -> Machine:
        """Return the machine as its logs show it by one of two encoders of each drive, on the 'motor' or on the 'load'.

        Raises
        ------
        SettingsError
            If its drives have one encoder each.
        """
        if not self.has_both_encoders:
            raise SettingsError(f"encoder {side}: drives of machine '{self.name}' have one encoder each")
        return replace(self, actuators=tuple(by_encoder(one, side) for one in self.actuators or ()))

    @classmethod
    def load(cls, name_or_path: str | Path) -> Machine:
        """Read a machine description.

        Parameters
        ----------
        name_or_path : str or Path
            Name of a built-in machine (`uf`, `hexel`, `ford`) or path of a YAML file.

        Raises
        ------
        MachineError
            If the file is missing, is not YAML, has an unknown or missing key or an impossible value,
            or describes an architecturally singular machine. The message names file, key and value.
        """
        path = Path(name_or_path)
        if path.suffix not in YAML_ENDINGS:
            if find_kind(name_or_path) != HEXAPOD:
                raise MachineError(f"machine '{name_or_path}': is a mechanism, and this takes hexapods alone")
            path = builtin_machines()[str(name_or_path)]
        document = read_yaml(path, "machine file", MachineError)
        return cls.from_document(document, source=str(path))

    @classmethod
    def from_document(cls, document: Any, source: str = "machine", plausible: bool = True) -> Machine:
        """Validate a description that is already parsed; see `load`.

        `plausible=False` takes numbers that no machine of this size has: of a description made by computation.
        """
        document, known = take_statements(document, source)
        document = written_out(document)
        problems = Problems()
        root = Node(document, "", source, MachineError, problems)
        if not isinstance(document, dict):
            root.fail(f"must be a mapping of keys, not {type(document).__name__}")
        root.take("kind", HEXAPOD)
        if any(key in document for key in ("kind", "bodies")) and read_kind(document, source) != HEXAPOD:
            raise MachineError(
                f"{source}: describes bodies with joints (kind {MECHANISM}); expected a hexapod"
            )
        with problems.section():
            schema = root.take("schema")
            if schema.value != SCHEMA:
                schema.fail(f"is {schema.value!r}; this package reads schema {SCHEMA}")
        with problems.section():
            name = root.take("name").text()
            description = root.take("description", "").text()
            gravity = root.take("gravity", [0.0, 0.0, -9.81]).array(3)

        with problems.section():
            geometry = root.take("geometry")
            with problems.section():
                home = geometry.take("home")
                home_position = home.take("position").array(3)
                quaternion_node = home.take("quaternion", [0.0, 0.0, 0.0, 1.0])
                quaternion = quaternion_node.array(4)
                home.close()
                if not 0.99 < np.linalg.norm(quaternion) < 1.01:
                    quaternion_node.fail(f"= {quaternion_node.value}: must have length 1 (x, y, z, w)")
            with problems.section():
                limits_node = geometry.take("length_limits")
                length_limits = limits_node.array(2)
                if not 0 < length_limits[0] < length_limits[1]:
                    limits_node.fail(
                        f"= {limits_node.value}: must be [shortest, longest] in m, 0 < shortest < longest"
                    )
            rate_limit = geometry.take("rate_limit", None).positive_or_none()
            with problems.section():
                base_joints = geometry.take("base_joints").array(STRUTS, 3)
                platform_joints = geometry.take("platform_joints").array(STRUTS, 3)
                joints = read_joints(geometry, base_joints, platform_joints)
            geometry.close()

        with problems.section():
            platform = read_platform(root.take("platform"))
        with problems.section():
            struts = read_struts(root)
        with problems.section():
            friction_node = root.take("friction", {})
            joint_friction = read_joint_friction(friction_node.take("joints", None))
            friction = read_friction(friction_node, STRUTS)
        with problems.section():
            drive_node = root.take("drive", None)
            drive = None if drive_node.value is None else read_drive(drive_node)
        with problems.section():
            sensors = machine_sensors(root.take("sensors", {}))
        with problems.section():
            tolerances = read_tolerances(root.take("tolerances", {}))
        with problems.section():
            root.take("control", None)  # known, whatever is wrong with the actuators
            actuators = read_actuators(root, STRUTS)
            control = read_control(root, actuators)
        with problems.section():
            joint_names = read_joint_names(root.take("joint_names", None))
        with problems.section():
            root.close()
        problems.refuse(source, MachineError)
        whole = root.with_defaults()
        check_statements(known, whole, source)

        machine = cls(
            name=name,
            description=description,
            gravity=gravity,
            base_joints=base_joints,
            platform_joints=platform_joints,
            base_joint=joints.base,
            platform_joint=joints.platform,
            first_axes=joints.first_axes,
            home_position=home_position,
            home_rotation=frozen(matrix_from_quaternion(quaternion)),
            length_limits=length_limits,
            rate_limit=rate_limit,
            platform=platform,
            struts=struts,
            friction=friction,
            joint_friction=joint_friction,
            drive=drive,
            sensors=sensors,
            tolerances=tolerances,
            document=document,
            full_document=whole,
            known=known,
            actuators=actuators,
            control=control,
            joint_limits=joints.limits,
            joint_names=joint_names,
        )
        machine._check_geometry(source)
        if plausible:
            check_plausibility(machine, source)
        return machine

    def _check_geometry(self, source: str) -> None:
        """Refuse a home out of the limits and a geometry that is singular in every pose."""
        with np.errstate(all="ignore"):
            extent = [
                float(np.ptp(joints, axis=0).max()) for joints in (self.base_joints, self.platform_joints)
            ]
        for name, size in zip(("base_joints", "platform_joints"), extent, strict=True):
            if size <= SMALLEST_EXTENT:
                raise MachineError(
                    f"{source}: geometry.{name}: architecturally singular: all within {size:.3g} m of each other"
                )
            if not size < LARGEST_EXTENT:
                raise MachineError(
                    f"{source}: geometry.{name} span {size:.3g} m; at most {LARGEST_EXTENT:g} m are allowed"
                )
        ratio, lengths = compute_jacobian_quality(self)
        home = lengths[0]
        low, high = self.length_limits
        outside = [f"{i + 1} ({home[i]:.4f} m)" for i in range(STRUTS) if not low <= home[i] <= high]
        if outside:
            raise MachineError(
                f"{source}: geometry.home: strut {', '.join(outside)} is outside length_limits [{low}, {high}] m"
                f"{propose_geometry_units(self, self.length_limits)}"
            )
        if ratio.max() < SINGULAR_RATIO:
            raise MachineError(
                f"{source}: geometry: architecturally singular: the Jacobian is singular at home and at "
                f"{len(ratio) - 1} poses around it (largest sigma_min/sigma_max {ratio.max():.1e}), so strut forces "
                "cannot hold the platform in any pose; move the joints (mid-side joints on both triangles do this)"
            )
        if ratio[0] < SINGULAR_RATIO:
            raise MachineError(
                f"{source}: geometry.home: singular pose (sigma_min/sigma_max {ratio[0]:.1e}); choose another home"
            )


def builtin_machines() -> dict[str, Path]:
    """Paths of the machine descriptions that come with the package, by name."""
    return list_builtin_files("machines")
