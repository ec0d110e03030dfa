# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""ROS stamps and seconds: one rounding each way, so that a bag and a CSV file of one log hold equal times."""

from __future__ import annotations

NANOSECONDS = 1_000_000_000
# A stamp's seconds are an int32.
LAST_SECOND = 2**31 - 1


def seconds_of(sec: int, nanosec: int) -> float:
    """Seconds of a ROS stamp: the double nearest to the exact value."""
    return (sec * NANOSECONDS + nanosec) / NANOSECONDS


def nanoseconds_of(seconds: float) -> int:
    """Seconds as whole nanoseconds, rounded; undoes `seconds_of` for times below 2^53 ns (104 days)."""
    whole = int(seconds // 1)
    return whole * NANOSECONDS + round((seconds - whole) * NANOSECONDS)
