# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Reading and writing logs: CSV here and in `table`, rosbag2 recordings in `bags`."""

from .drive_csv import write_raw_csv
from .log import read_log, read_logs, write_log
from .motion_csv import (
    PoseTable,
    read_length_csv,
    read_motion_csv,
    read_pose_csv,
    write_mode_csv,
    write_motion_csv,
    write_pose_csv,
    write_strut_columns,
)

__all__ = [
    "PoseTable",
    "read_length_csv",
    "read_log",
    "read_logs",
    "read_motion_csv",
    "read_pose_csv",
    "write_log",
    "write_mode_csv",
    "write_motion_csv",
    "write_pose_csv",
    "write_raw_csv",
    "write_strut_columns",
]
