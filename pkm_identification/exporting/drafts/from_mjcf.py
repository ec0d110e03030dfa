# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What MuJoCo makes of an MJCF file: bodies with joints, and constraints of points and of bodies that close loops."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from pkm_identification.errors import DocumentError
from pkm_identification.mechanisms.multibody.description.records import GROUND
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import matrix_from_quaternion, matrix_from_vector
from pkm_identification.simulation.mujoco_library import mujoco

from .graph import Draft, DraftCoupling, DraftJoint, Frame, Link

_NOTHING = 1e-9  # kg and kg m^2: what stands for no mass in a file that must state some


def read_mjcf(path: Path) -> Draft:
    """Return bodies and joints; raises DocumentError where MuJoCo refuses the file or something has no counterpart."""
    try:
        try:
            model = mujoco.MjModel.from_xml_path(str(path))
        except ValueError:
            model = _compile_without_shapes(path)
    except ValueError as error:
        raise DocumentError(f"{path}: MuJoCo: {' '.join(str(error).split())}") from None
    return _Reader(model, str(path)).draft()


def _compile_without_shapes(path: Path) -> mujoco.MjModel:
    """Return the model without meshes, which are not there, of bodies that state their masses; raises ValueError."""
    spec = mujoco.MjSpec.from_file(str(path))
    for body in spec.bodies:
        if body.explicitinertial:
            for geom in list(body.geoms):
                spec.delete(geom)
    for kind in (spec.meshes, spec.textures, spec.materials, spec.hfields):
        for one in list(kind):
            spec.delete(one)
    return spec.compile()


class _Reader:
    def __init__(self, model: mujoco.MjModel, source: str) -> None:
        self._model, self._source = model, source
        # home: the first key frame, else where joints have their references
        self._home = model.key_qpos[0] if model.nkey else model.qpos0
        for name, numbers in (
            ("ref", model.qpos0),
            ("key", self._home),
            ("pos", model.body_pos),
            ("pos", model.jnt_pos),
        ):
            if not np.all(np.isfinite(numbers)):
                raise DocumentError(f"{source}: MJCF: a number of '{name}' is not finite")
        self._links: list[Link] = []
        self._joints: list[DraftJoint] = []
        self._couplings: list[DraftCoupling] = []
        self._names = [GROUND, *(self._name("body", b) for b in range(1, model.nbody))]

    def _name(self, kind: str, number: int) -> str:
        code = {"body": mujoco.mjtObj.mjOBJ_BODY, "joint": mujoco.mjtObj.mjOBJ_JOINT}[kind]
        return mujoco.mj_id2name(self._model, code, number) or f"{kind}_{number}"

    def draft(self) -> Draft:
        model = self._model
        for b in range(1, model.nbody):
            self._body(b)
        for e in range(model.neq):
            if model.eq_active0[e]:
                self._closing(e)
        driven = []
        for a in range(model.nu):
            joint = int(model.actuator_trnid[a, 0])
            single = int(model.actuator_trntype[a]) == mujoco.mjtTrn.mjTRN_JOINT
            if single and int(model.jnt_type[joint]) in (
                mujoco.mjtJoint.mjJNT_HINGE,
                mujoco.mjtJoint.mjJNT_SLIDE,
            ):
                driven.append(self._name("joint", joint))
                self._note_drive(driven[-1], a, joint)
        return Draft(
            tuple(self._links), tuple(self._joints), np.array(model.opt.gravity), tuple(dict.fromkeys(driven)),
            couplings=tuple(self._couplings),
        )  # fmt: skip

    def _note_drive(self, name: str, actuator: int, joint: int) -> None:
        """Note what an actuator on a joint is called, and how large its force may be, of as much as both allow."""
        model = self._model
        called = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_ACTUATOR, actuator) or ""
        ranges = [model.actuator_forcerange[actuator]] if model.actuator_forcelimited[actuator] else []
        ranges += [model.jnt_actfrcrange[joint]] if model.jnt_actfrclimited[joint] else []
        limit = min((float(np.abs(one).min()) for one in ranges), default=np.inf)
        self._joints = [
            replace(one, actuator=called, force_limit=limit) if one.name == name else one
            for one in self._joints
        ]

    def _body(self, b: int) -> None:
        """A body with what lies between it and its parent: a joint, several with bodies without mass, or none."""
        model = self._model
        before, name = self._names[model.body_parentid[b]], self._names[b]
        frame = Frame(_compute_rotation(model.body_quat[b]), np.array(model.body_pos[b]))
        mass = float(model.body_mass[b])
        turn = _compute_rotation(model.body_iquat[b])
        tensor = turn @ np.diag(model.body_inertia[b]) @ turn.T
        link = Link(name, mass, np.array(model.body_ipos[b]), tensor)
        self._links.append(link if mass > _NOTHING else Link(name))
        first, count = int(model.body_jntadr[b]), int(model.body_jntnum[b])
        if not count:
            self._joints.append(DraftJoint(f"{name}_fixed", "fixed", (before, name), (frame, Frame())))
        for j in range(first, first + count):
            last = j == first + count - 1
            to = name if last else f"{name}:{self._name('joint', j)}"
            if not last:
                self._links.append(Link(to))
            self._joint(j, before, to, frame)
            before, frame = to, Frame()

    def _joint(self, j: int, before: str, to: str, frame: Frame) -> None:
        model, kinds = self._model, mujoco.mjtJoint
        kind, name, dof = int(model.jnt_type[j]), self._name("joint", j), int(model.jnt_dofadr[j])
        if kind == kinds.mjJNT_FREE:
            return  # what holds the body are constraints
        point = np.array(model.jnt_pos[j])
        inner = Frame(np.eye(3), point)
        frames = frame @ inner, inner
        q = int(model.jnt_qposadr[j])
        friction = float(model.dof_damping[dof]), float(model.dof_frictionloss[dof])
        if kind == kinds.mjJNT_BALL:
            turned = Frame(_compute_rotation(self._home[q : q + 4]))
            self._joints.append(
                DraftJoint(
                    name, "spherical", (before, to), (frames[0] @ turned, inner),
                    viscous=friction[0], coulomb=friction[1],
                )
            )  # fmt: skip
            return
        axis, slides = np.array(model.jnt_axis[j]), kind == kinds.mjJNT_SLIDE
        # MuJoCo's bodies stand where the joint is at its reference; its coordinate counts from elsewhere
        back = -float(model.qpos0[q]) * axis
        zero = Frame(origin=back) if slides else Frame(matrix_from_vector(back))
        limits = tuple(float(end) for end in model.jnt_range[j]) if model.jnt_limited[j] else None
        self._joints.append(
            DraftJoint(
                name,
                "prismatic" if slides else "revolute",
                (before, to),
                (frames[0] @ zero, inner),
                axis,
                limits=(limits[0], limits[1]) if limits else None,
                viscous=friction[0],
                coulomb=friction[1],
                inertia=float(model.dof_armature[dof]),
                start=float(self._home[q]),
            )
        )

    def _coupling(self, e: int, name: str) -> None:
        """A constraint of joints: `joint`, where it is linear, or `tendon`, of one fixed tendon."""
        model = self._model
        first, second, data = int(model.eq_obj1id[e]), int(model.eq_obj2id[e]), model.eq_data[e]
        tendon = int(model.eq_type[e]) == mujoco.mjtEq.mjEQ_TENDON
        if np.any(data[2:5]) or (tendon and second >= 0):
            raise DocumentError(
                f"{self._source}: equality constraint '{name}' is not linear in joints' coordinates"
            )
        if tendon:
            wraps = range(model.tendon_adr[first], model.tendon_adr[first] + model.tendon_num[first])
            if any(int(model.wrap_type[w]) != mujoco.mjtWrap.mjWRAP_JOINT for w in wraps):
                raise DocumentError(
                    f"{self._source}: equality constraint '{name}' is of a tendon that is not fixed"
                )
            joints = {int(model.wrap_objid[w]): float(model.wrap_prm[w]) for w in wraps}
        else:
            joints = {first: 1.0} | ({second: -float(data[1])} if second >= 0 else {})
        at_zero = sum(factor * float(model.qpos0[model.jnt_qposadr[j]]) for j, factor in joints.items())
        factors = {self._name("joint", j): factor for j, factor in joints.items()}
        self._couplings.append(DraftCoupling(name, factors, -at_zero - float(data[0])))

    def _closing(self, e: int) -> None:
        """A constraint between two bodies: `connect` is a spherical joint, `weld` a fixed one; or between joints."""
        model = self._model
        kind, kinds = int(model.eq_type[e]), mujoco.mjtEq
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_EQUALITY, e) or f"loop_{e + 1}"
        if kind in (kinds.mjEQ_JOINT, kinds.mjEQ_TENDON):
            self._coupling(e, name)
            return
        if kind not in (kinds.mjEQ_CONNECT, kinds.mjEQ_WELD):
            raise DocumentError(
                f"{self._source}: equality constraint {e + 1} is none of connect, weld, joint and tendon"
            )
        ends = (int(model.eq_obj1id[e]), int(model.eq_obj2id[e]))
        if int(model.eq_objtype[e]) == mujoco.mjtObj.mjOBJ_SITE:
            bodies = [int(model.site_bodyid[one]) for one in ends]
            frames = [
                Frame(_compute_rotation(model.site_quat[one]), np.array(model.site_pos[one])) for one in ends
            ]
        else:
            bodies, data = list(ends), model.eq_data[e]
            if kind == kinds.mjEQ_CONNECT:
                frames = [Frame(origin=np.array(data[3 * k : 3 * k + 3])) for k in range(2)]
            else:
                # pose of the second body in the first, and a point of the second
                pose = Frame(_compute_rotation(data[6:10]), np.array(data[3:6]))
                frames = [pose, Frame()]
        names = self._names[bodies[0]], self._names[bodies[1]]
        if kind == kinds.mjEQ_WELD:
            self._joints.append(DraftJoint(name, "fixed", names, (frames[0], frames[1]), closing=True))
            return
        data = mujoco.MjData(model)
        data.qpos[:] = self._home
        mujoco.mj_kinematics(model, data)
        turns = [data.xmat[body].reshape(3, 3) for body in bodies]
        relative = Frame(turns[0].T @ turns[1])
        places = Frame(relative.rotation, frames[0].origin), Frame(origin=frames[1].origin)
        self._joints.append(DraftJoint(name, "spherical", names, places))


def _compute_rotation(quaternion: FloatArray) -> FloatArray:
    """Return the rotation of MuJoCo's quaternion, w first."""
    try:
        return np.asarray(matrix_from_quaternion(np.roll(np.array(quaternion, dtype=float), -1)))
    except ValueError as error:
        raise DocumentError(f"MJCF: quat {np.array(quaternion).tolist()}: {error}") from None
