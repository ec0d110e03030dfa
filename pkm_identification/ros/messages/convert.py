# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Stage samples to this package's messages and back.

What streams goes as bytes (`wire`). Fields of messages are not checked by rclpy, so nothing that is not finite may come
this far: the stages and the publisher of estimates see to that (`numerics.finite`).
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from geometry_msgs.msg import Pose

from pkm_identification.motion import DriveSample
from pkm_identification.msg import ParameterEstimate as EstimateMessage
from pkm_identification.msg import StrutStates
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import build_quaternion_from_matrix, matrix_from_quaternion

from ..clock import set_stamp
from ..node.hand_over import Handed
from .wire import StreamType, StreamWriter

if TYPE_CHECKING:
    from pkm_identification.estimation.estimate import ParameterEstimate
    from pkm_identification.machines.contract import Machine

from pkm_identification.estimation.posterior.verdict import CONTRADICTS
from pkm_identification.identification.full_model.stream_estimate import name_statuses
from pkm_identification.identification.online.judge import StreamVerdict
from pkm_identification.report.diagnosis import describe_cause, sentence
from pkm_identification.report.total_deviations import format_effects_sentences


def format_misfit_text(verdict: StreamVerdict) -> str:
    """Return why a stream's estimate is not to be used: the verdict, and its cause with what to do."""
    fit, refused = verdict.fit, verdict.answer.verdict.sentence
    if any(one.correction for one in fit.causes):
        return f"{refused} {sentence(fit.causes[0], fit)}"
    if not fit.causes and verdict.answer.verdict.grade == CONTRADICTS:
        return refused
    nearest = f"; nearest: {describe_cause(fit.causes[0])}" if fit.causes else ""
    return (
        f"{refused} No known cause explains the misfit, a residual of {fit.ratio:.3g} x the noise{nearest}."
    )


def format_effects_text(verdict: StreamVerdict) -> str:
    """Return which effects a stream's model fits with; empty where there are none, or where it does not fit."""
    return " ".join(format_effects_sentences(verdict.answer)) if verdict.good else ""


# Condition numbers of singular poses are infinite; messages carry this instead.
LARGEST_CONDITION = 1e12

STATUS_CODES = {
    "identifiable": EstimateMessage.IDENTIFIABLE,
    "combination": EstimateMessage.COMBINATION,
    "unidentifiable": EstimateMessage.UNIDENTIFIABLE,
    "in_doubt": EstimateMessage.IN_DOUBT,
}


def create_strut_stream(names: Sequence[str]) -> StreamType:
    """Return the messages `strut_states/filtered` of a machine whose drives have these joint names."""
    return StreamType(StrutStates, names, optional=("force",))


def strut_states(writer: StreamWriter, sample: DriveSample, delay: float) -> bytes:
    """Return a filtered strut sample as a message of a strut stream.

    Parameters
    ----------
    writer : StreamWriter
    sample : DriveSample
    delay : float
        Of the filter in s.

    Raises
    ------
    ValueError
        If the sample's time does not fit into a stamp.
    """
    numbers = writer.numbers
    numbers["coordinate"] = sample.coordinate
    numbers["rate"] = sample.rate
    numbers["acceleration"] = sample.acceleration
    numbers["force_valid"] = sample.force is not None
    numbers["force"] = 0.0 if sample.force is None else sample.force
    numbers["segment"] = sample.segment
    numbers["delay"] = delay
    return writer.message(sample.time)


def strut_sample(kind: StreamType, message: bytes | StrutStates | Handed) -> tuple[DriveSample, float]:
    """Return the filtered strut sample of a message, or of what was handed over, and the filter's delay in s.

    Raises
    ------
    ValueError
        If the bytes are no such message, or of other drives.
    """
    if isinstance(message, Handed):
        return message.retimed_sample, message.delay
    time, numbers = kind.read(message)
    sample = DriveSample(
        time=time,
        coordinate=numbers["coordinate"],
        rate=numbers["rate"],
        acceleration=numbers["acceleration"],
        force=numbers["force"] if numbers["force_valid"] else None,
        segment=int(numbers["segment"]),
    )
    return sample, float(numbers["delay"])


def fill_pose(message: Pose, position: FloatArray, rotation: FloatArray) -> None:
    """Write a position (3,) in m and a rotation matrix (3, 3) into a message."""
    point, turn = message.position, message.orientation
    point.x, point.y, point.z = position.tolist()
    turn.x, turn.y, turn.z, turn.w = build_quaternion_from_matrix(rotation).tolist()


def pose_of(message: Pose) -> tuple[FloatArray, FloatArray]:
    """Position (3,) in m and rotation matrix (3, 3) of a pose message.

    Raises
    ------
    ValueError
        If a number is not finite or the quaternion has no length.
    """
    point, turn = message.position, message.orientation
    position = np.array([point.x, point.y, point.z])
    if not np.isfinite(position).all():
        raise ValueError(f"position {position.tolist()} is not finite")
    return position, matrix_from_quaternion(np.array([turn.x, turn.y, turn.z, turn.w]))


def estimate_message(
    estimate: ParameterEstimate,
    machine: Machine,
    verdict: StreamVerdict | None = None,
    impossible: str = "",
) -> EstimateMessage:
    """An estimate as a message, with whether the model fits what it learned from, or else why it is impossible."""
    message = EstimateMessage(
        machine=machine.name,
        machine_hash=machine.hash,
        estimator=estimate.estimator,
        model=estimate.model,
        names=list(estimate.names),
        units=list(estimate.units),
        values=doubles(estimate.values),
        std=doubles(estimate.std),
        nominal=doubles(estimate.nominal),
        status=[STATUS_CODES[status] for status in estimate.status],
        covariance=doubles(estimate.covariance),
        nis=limit_number(estimate.nis),
        nis_dof=int(estimate.nis_dof),
        count=int(estimate.count),
    )
    if np.isfinite(estimate.time):  # a prior has no last sample
        set_stamp(message.header.stamp, estimate.time)
    message.cause_text = impossible
    if verdict is not None:
        fit = verdict.fit
        message.fit_judged = True
        message.lack_of_fit = not verdict.good
        message.fit_ratio = limit_number(fit.ratio)
        message.verdict, message.verdict_text = verdict.answer.verdict.grade, verdict.answer.verdict.sentence
        named = name_statuses(estimate, verdict.answer)
        message.status_text, message.rests_on = [word for word, _ in named], [key for _, key in named]
        effects = verdict.answer.effects if verdict.good else ()
        for cause in fit.causes[:1] or effects[:1]:
            message.cause = cause.name
            message.cause_value = limit_number(cause.value)
            message.cause_std = limit_number(cause.std)
            message.cause_unit = cause.unit
        if not verdict.good:
            message.cause_text = format_misfit_text(verdict)
        elif not impossible:
            message.cause_text = format_effects_text(verdict)
    return message


def limit_number(value: float) -> float:
    """Return a number fit for a message: not larger than `LARGEST_CONDITION`, and that for what is not a number."""
    return min(float(value), LARGEST_CONDITION) if value == value else LARGEST_CONDITION


def doubles(values: FloatArray) -> array[float]:
    """Return numbers as messages keep them: from a list they would be converted one by one."""
    return array("d", np.ascontiguousarray(values).tobytes())
