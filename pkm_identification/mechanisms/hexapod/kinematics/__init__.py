# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Kinematics of hexapods: inverse, forward, Jacobian and rates; assembly modes, passive joints, singularities."""

from ..geometry import Geometry
from ..joint_limits import JointLimits
from .assembly.continuation import PathResult, follow_lengths
from .assembly.mode_proof import joined_to_start
from .assembly.modes import AssemblyModes, assembly_modes, geometry_modes
from .forward import (
    DEGRADED,
    FAILED,
    OK,
    STATUS_NAMES,
    ForwardResult,
    forward_kinematics,
    platform_motion,
)
from .inverse import strut_lengths, strut_motion_from_platform
from .jacobian import jacobian
from .passive import PassiveAngles, angle_use, passive_angles
from .pose_of_lengths import Pose, pose_of_lengths
from .singularity import (
    NearbySingularity,
    SingularityMeasures,
    WeakestMotion,
    architectural_quality,
    is_architecturally_singular,
    nearby_singularity,
    singularity_measures,
    weakest_motion,
)

__all__ = [
    "DEGRADED",
    "FAILED",
    "OK",
    "STATUS_NAMES",
    "AssemblyModes",
    "ForwardResult",
    "Geometry",
    "JointLimits",
    "NearbySingularity",
    "PassiveAngles",
    "PathResult",
    "Pose",
    "SingularityMeasures",
    "WeakestMotion",
    "angle_use",
    "architectural_quality",
    "assembly_modes",
    "follow_lengths",
    "forward_kinematics",
    "geometry_modes",
    "is_architecturally_singular",
    "jacobian",
    "joined_to_start",
    "nearby_singularity",
    "passive_angles",
    "platform_motion",
    "pose_of_lengths",
    "singularity_measures",
    "strut_lengths",
    "strut_motion_from_platform",
    "weakest_motion",
]
