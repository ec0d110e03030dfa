"""Reading and writing logs: CSV here and in `table`, rosbag2 recordings in `bags`."""

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
from .strut_csv import read_strut_csv, write_raw_csv, write_strut_csv

__all__ = [
    "PoseTable",
    "read_length_csv",
    "read_log",
    "read_logs",
    "read_motion_csv",
    "read_pose_csv",
    "read_strut_csv",
    "write_log",
    "write_mode_csv",
    "write_motion_csv",
    "write_pose_csv",
    "write_raw_csv",
    "write_strut_columns",
    "write_strut_csv",
]
