# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm record, pkm play: bags where the ros2 command line is not installed."""

from __future__ import annotations

import argparse
import json
from importlib import import_module
from typing import Any

from .ros_part import require_ros


def add(commands: argparse._SubParsersAction) -> None:
    """Add the two commands."""
    record = commands.add_parser(
        "record",
        description="Record topics into a rosbag2 folder until Ctrl-C (the node 'recorder').",
    )
    record.add_argument("--out", required=True, metavar="DIR", help="folder of the recording; must not exist")
    record.add_argument(
        "--storage", choices=("sqlite3", "mcap"), default="sqlite3", help="(default: sqlite3)"
    )
    record.add_argument(
        "--duration",
        type=float,
        default=0.0,
        metavar="S",
        help="stop so long after the start (default: never)",
    )
    record.set_defaults(run=_record)
    play = commands.add_parser(
        "play",
        description="Publish a bag's messages with their own stamps and pace (the node 'player').",
    )
    play.add_argument("bag", metavar="BAG", help="folder, .db3 or .mcap file")
    play.add_argument("--rate", type=float, default=1.0, help="speed relative to the recording (default: 1)")
    play.add_argument("--loop", action="store_true", help="start again at the end")
    play.add_argument("--clock", action="store_true", help="publish the recording's time on /clock")
    play.add_argument(
        "--wait", type=float, default=10.0, metavar="S", help="for subscribers before the start (default: 10)"
    )
    play.set_defaults(run=_play)
    for parser in (record, play):
        parser.add_argument(
            "--topics", nargs="+", default=["strut_states"], metavar="TOPIC", help="(default: strut_states)"
        )
        parser.add_argument("--namespace", default="", help="of the node")


def _record(options: argparse.Namespace) -> int:
    parameters = {
        "output": options.out,
        "topics": options.topics,
        "storage": options.storage,
        "duration": options.duration,
    }
    return _run_node("recorder", parameters, options.namespace)


def _play(options: argparse.Namespace) -> int:
    parameters = {
        "bag": options.bag,
        "topics": options.topics,
        "rate": options.rate,
        "loop": options.loop,
        "clock": options.clock,
        "wait": options.wait,
    }
    return _run_node("player", parameters, options.namespace)


def _run_node(name: str, parameters: dict[str, Any], namespace: str) -> int:
    require_ros()
    arguments = ["--ros-args"]
    for key, value in parameters.items():
        # ROS reads parameter values as YAML, which JSON is
        arguments += ["-p", f"{key}:={json.dumps(value)}"]
    if namespace:
        arguments += ["-r", f"__ns:=/{namespace.strip('/')}"]
    return import_module(f"..nodes.{name}", __package__).main(["pkm", *arguments])
