# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The demonstration tells what nodes complained of while samples flowed, not that they waited for the first one."""

from pkm_identification.ros.processes.stream_troubles import StreamTroubles

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
