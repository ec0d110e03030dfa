# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Strut forces and the regressor beside pinocchio on the cut tree."""

from __future__ import annotations

import pinocchio as pin

from pkm_identification.mechanisms.hexapod.dynamics import regressor, strut_forces
from pkm_identification.mechanisms.hexapod.dynamics.regressor import SparseMapping
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters

from .peers import PinocchioTree
from .results import Effort, Findings, Item, Peer, agree
from .states import rows, scattered
from .timing import Case, interleaved

SAMPLES = 200
BATCH = 2000
INERTIAL = 8  # the first parameters of the set; the rest is friction
FEW = 20
NOTE = "tree coordinates and projection made beforehand, not timed"
OURS = "from pose, twist and acceleration, with friction"


def measure(machine: Machine, effort: Effort, findings: Findings) -> None:
    _forces(machine, effort, findings)
    _regressor(machine, effort, findings)


def _forces(machine: Machine, effort: Effort, findings: Findings) -> None:
    many, few = scattered(machine, BATCH, 1), scattered(machine, SAMPLES, 2)
    singles = rows(few)
    tree = PinocchioTree(machine, few)
    expected = strut_forces(machine, few, friction=False)
    agreement = agree("pinocchio", tree.strut_forces(), expected, 1e-9)
    agree("pinocchio's loop", tree.strut_forces_compiled(), expected, 1e-9)
    agree("pinocchio from the motion", tree.strut_forces_of(few), expected, 1e-9)
    agree("pinocchio's single call", tree.strut_forces_of(singles[0]), expected[:1], 1e-9)
    cases = [
        Case("batch", lambda: strut_forces(machine, many), BATCH),
        Case("one call", lambda: [strut_forces(machine, one) for one in singles], SAMPLES),
        Case("whole batch", lambda: tree.strut_forces_of(many), BATCH),
        Case("whole call", lambda: [tree.strut_forces_of(one) for one in singles[:FEW]], FEW),
        Case("rnea batch", tree.strut_forces_compiled, SAMPLES),
        Case("rnea call", tree.strut_forces, SAMPLES),
    ]
    timings = interleaved(cases, effort.rounds)
    same = "from pose, twist and acceleration as ours: tree coordinates by NumPy, then its rnea"
    batch = (
        Peer("pinocchio, from the motion", timings["whole batch"], same),
        Peer("pinocchio rneaInParallel alone", timings["rnea batch"], f"compiled loop, one thread; {NOTE}"),
    )
    single = (
        Peer("pinocchio, from the motion", timings["whole call"], same),
        Peer("pinocchio rnea alone", timings["rnea call"], NOTE),
    )
    findings.items += [
        Item("strut forces, per sample in a batch", timings["batch"], 4e-6, batch, agreement, OURS),
        Item("strut forces, one call", timings["one call"], 20e-6, single, agreement, OURS),
    ]


def _regressor(machine: Machine, effort: Effort, findings: Findings) -> None:
    parameters = list_hexapod_parameters(machine, "identifiable")
    many, few = scattered(machine, BATCH, 3), scattered(machine, SAMPLES, 4)
    singles = rows(few)
    tree = PinocchioTree(machine, few)
    fold = tree.fold()
    expected = regressor(machine, few, parameters.mapping)[:, :, :INERTIAL]
    found = tree.regressors(fold)
    # columns differ by orders of magnitude: each is compared with itself
    worst = max(
        (agree("pinocchio", found[:, :, p], expected[:, :, p], 1e-9) for p in range(INERTIAL)),
        key=lambda text: float(text.split()[-1]),
    )
    mapping, columns = SparseMapping.of(machine, parameters.mapping), pin.computeJointTorqueRegressor

    def calls_alone() -> None:
        for q, v, a in zip(tree.q, tree.v, tree.a):
            columns(tree.model, tree.data, q, v, a)

    cases = [
        Case("batch", lambda: regressor(machine, many, mapping), BATCH),
        Case("one call", lambda: [regressor(machine, one, mapping) for one in singles], SAMPLES),
        Case("folded", lambda: tree.regressors(fold), SAMPLES),
        Case("alone", calls_alone, SAMPLES),
    ]
    timings = interleaved(cases, effort.rounds)
    peers = (
        Peer("pinocchio regressor", timings["folded"], f"one call, folded to 6 x 8, no friction; {NOTE}"),
        Peer("pinocchio regressor, its call alone", timings["alone"], "24 x 190, not projected"),
    )
    findings.items += [
        Item("regressor 6 x 20, per sample in a batch", timings["batch"], 8e-6, peers, worst),
        Item("regressor 6 x 20, one call", timings["one call"], 25e-6, peers, worst),
    ]
