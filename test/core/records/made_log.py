# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Small strut logs for the readers' and writers' tests."""

from __future__ import annotations

import numpy as np
from rosbags.interfaces import Qos, QosDurability, QosHistory, QosLiveliness, QosReliability, QosTime

from pkm_identification.motion import DriveLog
from pkm_identification.records.bags.writer import BagWriter
from pkm_identification.records.interfaces import typestore
from pkm_identification.records.joint_state import JOINT_STATE


def made_log(count: int = 20, seed: int = 0, forces: bool = True) -> DriveLog:
    """Random struts at about 1 kHz, stamped in whole nanoseconds as messages are, not at 0."""
    rng = np.random.default_rng(seed)
    return DriveLog(
        time=np.round(np.arange(1, count + 1) * 1e-3 + rng.normal(0, 2e-5, count), 9),
        coordinate=rng.uniform(0.3, 0.5, (count, 6)),
        force=rng.normal(0, 100, (count, 6)) if forces else None,
    )


def assert_same(log: DriveLog, other: DriveLog) -> None:
    """Equal bit for bit; NaN equals NaN."""
    np.testing.assert_array_equal(log.time, other.time)
    np.testing.assert_array_equal(log.length, other.length)
    assert (log.force is None) == (other.force is None)
    if log.force is not None:
        np.testing.assert_array_equal(log.force, other.force)


def latched() -> Qos:
    """What a publisher offers whose last message late subscribers get, as DDS tells it of one elsewhere."""
    ever = QosTime(9223372036, 854775807)
    return Qos(
        QosHistory.UNKNOWN,
        0,
        QosReliability.RELIABLE,
        QosDurability.TRANSIENT_LOCAL,
        ever,
        ever,
        QosLiveliness.AUTOMATIC,
        ever,
        False,
    )


def write_joint_bag(path, topics, joints, time, position, effort) -> None:
    """Write samples of joints, stamped 1 s later, as JointState on each of some topics."""
    types = typestore().types
    with BagWriter(path) as writer:
        for topic in topics:
            writer.add_topic(topic, JOINT_STATE)
            for stamp, place, force in zip(time, position, effort, strict=True):
                sec, nanosec = divmod(round(1e9 * (1 + stamp)), 10**9)
                header = types["std_msgs/msg/Header"](
                    stamp=types["builtin_interfaces/msg/Time"](sec=sec, nanosec=nanosec), frame_id=""
                )
                message = types[JOINT_STATE](
                    header=header, name=list(joints), position=place, velocity=np.zeros(0), effort=force
                )
                data = bytes(typestore().serialize_cdr(message, JOINT_STATE))
                writer.write(topic, JOINT_STATE, data, round(1e9 * (1 + stamp)))
