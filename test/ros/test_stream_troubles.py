# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The demonstration tells what nodes complained of while samples flowed, not that they waited for the first one."""

from pkm_identification.ros.processes.draining import StreamTroubles

SILENT = {"kinematics: input": "no samples on 'strut_states/filtered' for 5 s"}
LATE = {"simulator: machine": "3.0 s slower than asked for"}


def told(*windows: tuple[int, dict[str, str]]) -> dict[str, str]:
    troubles = StreamTroubles()
    for accepted, complaints in windows:
        troubles.take(accepted, complaints)
    return troubles.confirmed


def test_waiting_for_the_first_sample_is_no_trouble():
    assert told((0, SILENT), (0, SILENT), (435, SILENT), (1561, {}), (2899, {})) == {}


def test_missing_samples_after_the_last_one_is_no_trouble():
    assert told((0, {}), (435, {}), (1561, {}), (1561, SILENT)) == {}


def test_what_is_said_between_two_samples_is_told():
    assert told((0, SILENT), (435, {}), (1561, LATE), (2899, {})) == LATE
