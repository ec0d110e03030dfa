# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm demo: the whole chain on the embedded simulator, over real ROS 2 topics."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from pkm_identification.declared import declarations
from pkm_identification.optional import library
from pkm_identification.report.summary import summary
from pkm_identification.ros.processes.demo_settings import DemoSettings

from .arguments import add_setting, collect_options
from .ros_part import require_ros

OPTIONS = declarations(DemoSettings)
METAVARS = {"perturbation": "FRACTION", "folder": "DIR"}


# Deviations: the newest verdict of a stream is some seconds older than its end, and its values change until then
AGREEMENT = 0.5


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "demo",
        description="Run simulator, strut filter, kinematics, estimator and recorder as real nodes, show the "
        "estimates settle, and identify the recorded bag again offline.",
    )
    for name, declaration in OPTIONS.items():
        add_setting(parser, declaration, METAVARS.get(name))
    parser.set_defaults(run=_run_demo)


def _run_demo(options: argparse.Namespace) -> int:
    require_ros()
    settings = DemoSettings(**collect_options(options, OPTIONS.values()))
    if settings.watch:
        library("websockets.asyncio.server", "watch")
    # ROS is an option of this package, so nothing outside this command loads it
    from pkm_identification.report.earlier import check_folder
    from pkm_identification.report.folder import write_report
    from pkm_identification.ros.processes.demo import run_demo

    check_folder(Path(settings.folder))
    began = time.monotonic()
    result = run_demo(settings, say=lambda line: print(line, flush=True))
    offline = result.offline
    print()
    print(summary(offline, truth=result.truth))
    print()
    print(
        f"Live: {result.samples} samples, {result.live_count} equations. The bag, identified offline with the same "
        f"causal stages, differs by at most {result.agreement:.1e} standard deviations."
    )
    for node, trouble in result.troubles.items():
        print(f"{node} reported: {trouble}")
    folder = Path(settings.folder)
    write_report(folder, offline, truth=result.truth, logs=[result.log])
    print(f"Bag, logs, figures and report: {folder}/  (open {folder / 'report.html'})")
    print(f"Took {time.monotonic() - began:.0f} s.")
    agrees = result.agreement < AGREEMENT
    if not agrees and result.lost:
        print(
            f"The live and the offline identification did not see the same: {result.lost} samples were lost between "
            "the nodes. This computer is too slow for the demonstration, or busy with something else."
        )
    elif not agrees:
        print("The live and the offline identification do not agree.")
    return 0 if offline.converged and agrees else 1
