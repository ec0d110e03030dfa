# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""bringup: several nodes in one process, each with its own name, parameters and life cycle.

ros2 run pkm_identification bringup --nodes strut_filter,kinematics,estimator --ros-args --params-file nodes.yaml
"""

from __future__ import annotations

import argparse
import sys
from typing import NoReturn

from rclpy.utilities import remove_ros_args

from pkm_identification.ros.node.main import FAILED_START, run_together

from .catalogue import NODES, node_class


class _OneLineParser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(FAILED_START, f"{self.prog}: {message}\n")


def list_node_names(text: str) -> list[str]:
    """Return names of nodes in a comma-separated text.

    Raises
    ------
    argparse.ArgumentTypeError
        If one does not exist or is there twice.
    """
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in NODES:
            raise argparse.ArgumentTypeError(f"there is no node '{name}': the nodes are {', '.join(NODES)}")
        if names.count(name) > 1:
            raise argparse.ArgumentTypeError(f"node '{name}' is there more than once")
    return names


def main(args: list[str] | None = None) -> int:
    """Run the nodes; they are configured and activated in the order given."""
    parser = _OneLineParser(prog="bringup", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--nodes", required=True, type=list_node_names, metavar="NAME,...", help=f"of {', '.join(NODES)}"
    )
    parser.add_argument(
        "--executor",
        default="single_threaded",
        choices=("single_threaded", "events"),
        help="who calls the callbacks of all nodes (their parameter 'executor' is not looked at)",
    )
    parser.add_argument(
        "--no-hand-over",
        action="store_true",
        help="send the streams between these nodes through DDS, too, as between processes",
    )
    options = parser.parse_args(remove_ros_args(sys.argv if args is None else ["", *args])[1:])
    classes = [node_class(name) for name in options.nodes]
    return run_together(classes, args, options.executor, not options.no_hand_over)


if __name__ == "__main__":
    sys.exit(main())
