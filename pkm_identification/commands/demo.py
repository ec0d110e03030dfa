"""pkm demo: the whole chain on the embedded simulator, over real ROS 2 topics."""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

from pkm_identification.errors import SettingsError
from pkm_identification.report.sentences import verdicts
from pkm_identification.report.tables import estimate_table, validation_table

from .arguments import check_seed
from .ros_part import require_ros


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "demo",
        description="Run simulator, strut filter, kinematics, estimator and recorder as real nodes, show the "
        "estimates settle, and identify the recorded bag again offline.",
    )
    parser.add_argument("--machine", default="uf", help="built-in name or YAML file (default: uf)")
    parser.add_argument(
        "--duration", type=float, default=45.0, metavar="S", help="of the motion (default: 45)"
    )
    parser.add_argument(
        "--perturb", type=float, default=0.15, metavar="FRACTION", help="truth off the file (default: 0.15)"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the truth and the noise (default: 1)")
    parser.add_argument(
        "--out", default="demo", metavar="DIR", help="bag, logs, figures, report (default: demo)"
    )
    parser.add_argument("--domain", type=int, help="ROS domain (default: one of this process)")
    parser.set_defaults(run=_demo)


def _demo(options: argparse.Namespace) -> int:
    require_ros()
    if not 5 <= options.duration <= 3600:
        raise SettingsError(f"--duration {options.duration:g}: must be from 5 to 3600 s")
    if not 0 < options.perturb < 0.9:
        raise SettingsError(f"--perturb {options.perturb:g}: must be more than 0 and less than 0.9")
    check_seed(options.seed)
    # ROS is an option of this package, so nothing outside this command loads it
    from pkm_identification.report import write_report
    from pkm_identification.ros.processes.demo import DemoSettings, run_demo

    began = time.monotonic()
    settings = DemoSettings(
        machine=options.machine,
        duration=options.duration,
        perturbation=options.perturb,
        seed=options.seed,
        folder=Path(options.out),
        domain=os.getpid() % 90 + 11 if options.domain is None else options.domain,
    )
    result = run_demo(settings, say=lambda line: print(line, flush=True))
    offline = result.offline
    print()
    print(estimate_table(offline.estimate, result.truth))
    print()
    if offline.validation is not None:
        print(validation_table(offline.validation))
        print()
    for _, line in verdicts(offline):
        print(line)
    print(
        f"Live: {result.samples} samples, {result.live_count} equations. The bag, identified offline with the same "
        f"causal stages, differs by at most {result.agreement:.1e} standard deviations."
    )
    for node, trouble in result.troubles.items():
        print(f"{node} reported: {trouble}")
    write_report(settings.folder, offline, truth=result.truth)
    print(f"Bag, logs, figures and report: {settings.folder}/  (open {settings.folder / 'report.html'})")
    print(f"Took {time.monotonic() - began:.0f} s.")
    agrees = result.agreement < 0.1
    if not agrees:
        print("The live and the offline identification do not agree.")
    return 0 if offline.converged and agrees else 1
