# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm warm-up: what nodes and identify need is compiled ahead, on all cores, so that no later start waits for it."""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor, as_completed

from pkm_identification.errors import PkmError, SettingsError
from pkm_identification.interruption import INTERRUPTED
from pkm_identification.mechanisms.builtin import HEXAPOD, find_kind
from pkm_identification.numerics.compiled import CompilationWatch
from pkm_identification.progress import announce, hide

DURATION = 5.0  # s, of the motion that is simulated and identified
PERIOD = 1e-3  # s, of a machine whose file states no sample rate
REFUSED = 2  # what a part's process ends with where something is missing


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "warm-up",
        description="Compile what identify (of bodies with joints simulate) and the nodes need for a machine and keep "
        "it on disk: their first start takes minutes otherwise. Kernels are kept next to the installed package where "
        "that "
        "folder is writable, else in the user's cache folder; NUMBA_CACHE_DIR names another.",
    )
    parser.add_argument("--machine", default="uf", help="built-in name or YAML file; default: uf")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="processes at a time; default: as many as cores"
    )
    parser.set_defaults(run=_warm_up)


def _warm_up(options: argparse.Namespace) -> int:
    if options.jobs < 1:
        raise SettingsError(f"--jobs {options.jobs}: must be at least 1")
    hexapod = find_kind(options.machine) == HEXAPOD
    parts = PARTS if hexapod else PARTS_OF_MECHANISMS
    total = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        waiting = {pool.submit(_run_in_process, name, options.machine): name for name in parts}
        for number, future in enumerate(as_completed(waiting), 1):
            kernels, seconds = future.result()
            total += kernels
            state = f"{kernels} kernels compiled in {seconds:.0f} s" if kernels else "compiled already"
            hide()
            print(f"{waiting[future]:<10} {state}", flush=True)
            announce("compiling", number, len(parts))
    print("Compiled." if total else "All kernels were compiled already.")
    return 0


def _run_in_process(part: str, machine: str) -> tuple[int, float]:
    """Kernels compiled, and for how many seconds, of one part."""
    command = [sys.executable, "-m", __name__, part, machine]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        output = process.stdout.read() if process.stdout is not None else ""
    if process.returncode == REFUSED:
        raise PkmError(output.strip())
    if process.returncode:
        raise PkmError(f"part '{part}' ended with code {process.returncode}")
    kernels, seconds = output.split()
    return int(kernels), float(seconds)


def _compile(part: str, machine: str) -> None:
    """One part; ends at an interrupt, and with the command that wanted it, in the middle of compiling too."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)

    def wait() -> None:
        # held open as long as the command lives
        os.read(sys.stdin.fileno(), 1)
        os._exit(INTERRUPTED)

    threading.Thread(target=wait, daemon=True).start()
    try:
        with CompilationWatch() as watch:
            (PARTS | PARTS_OF_MECHANISMS)[part](machine)
    except PkmError as error:
        # a line for the command, which says it
        print(error, flush=True)
        sys.exit(REFUSED)
    print(watch.kernels, watch.seconds, flush=True)


def _compile_offline(name: str) -> None:
    from pkm_identification.api.identification import identify
    from pkm_identification.api.logs import simulate
    from pkm_identification.records.decimals import warm_up

    warm_up()
    log = simulate(name, "rich", DURATION)
    for estimator in ("ls", "ukf"):
        identify(log, name, estimator=estimator)


def _compile_online(name: str) -> None:
    from pkm_identification.identification.online.pipeline import OnlinePipeline, build_stream_settings
    from pkm_identification.machines.load import load_machine

    machine = load_machine(name)
    settings = build_stream_settings(machine, period=None if machine.sample_rate else PERIOD)
    pipeline = OnlinePipeline(machine, settings)
    pipeline.warm_up()
    pipeline.estimator.judge.warm_up()


def _compile_control(name: str) -> None:
    from pkm_identification.control.controller import MachineController
    from pkm_identification.control.settings import ControllerSettings
    from pkm_identification.control.warm_up import warm_up
    from pkm_identification.machines.load import load_machine

    machine = load_machine(name)
    rate = machine.sample_rate
    warm_up(MachineController(machine, 1.0 / rate if rate else PERIOD, ControllerSettings()))
    with contextlib.suppress(ImportError):  # where ROS is installed
        from pkm_identification.ros.commands.goal_request import known_layout

        known_layout(len(machine.drives))


def _compile_simulation(name: str) -> None:
    from pkm_identification.mechanisms.multibody.mechanism import Mechanism
    from pkm_identification.records.decimals import warm_up
    from pkm_identification.simulation.multibody.motions import generate_motion
    from pkm_identification.simulation.simulator import Simulator

    warm_up()
    mechanism = Mechanism.load(name)
    Simulator(mechanism, generate_motion("rich", mechanism, DURATION)).run()


PARTS = {"offline": _compile_offline, "online": _compile_online, "control": _compile_control}
PARTS_OF_MECHANISMS = {
    "simulation": _compile_simulation,
    "online": _compile_online,
    "control": _compile_control,
}

if __name__ == "__main__":
    _compile(sys.argv[1], sys.argv[2])
