# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The order of the tests, so that workers end together, no core is idle and no kernel is compiled twice.

Under xdist a file stays with one worker (`--dist loadfile`: logs and fits that its tests share are made once), and
workers take files in this order (`--no-loadscope-reorder`; pytest-xdist's own goes by the number of tests). Tests of
nodes mostly wait: one worker begins with them, beside those that compute.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

# Needs no kernels: nodes' worker is busy with it while the others compile those that all tests need.
FIRST = "test_installation.py"
# Longest first, by processor time; those not named follow, each less than ten seconds of it.
LONGEST = (
    "test_estimated_effects.py",
    "test_documented_commands_run.py",
    "test_control_design.py",
    "test_mechanism_also.py",
    "test_diagnosis.py",
    "test_studies.py",
    "test_answers.py",
    "test_answers_of_every_machine.py",
    "test_real_robots.py",
    "test_watch_page.py",
    "test_mechanism_misfit.py",
    "test_public.py",
    "test_live_verdict.py",
    "test_history.py",
    "test_init_of_kinds.py",
    "test_identifiability_command.py",
    "test_mechanism_forces.py",
    "test_known_and_tolerated.py",
    "test_diagnose_command.py",
    "test_streams.py",
    "test_force_gains.py",
    "test_payload_watch.py",
    "test_consistent_identification.py",
    "test_warm_up.py",
    "test_identify_command.py",
    "test_simulator.py",
    "test_elastic_drive_model.py",
    "test_rates.py",
    "test_plant.py",
    "test_file_numbers.py",
    "test_excite_command.py",
    "test_slow_drift.py",
    "test_settled_logs.py",
    "test_identification.py",
    "test_drive_log_commands.py",
    "test_data_sets.py",
    "test_drive_fit.py",
    "test_figures.py",
    "test_cli.py",
    "test_deviations_under_misfit.py",
    "test_contribution_study.py",
    "test_every_machine_states.py",
    "test_decimals.py",
    "test_symbolic_route.py",
    "test_every_machine.py",
    "test_online_uncertainty.py",
    "test_search.py",
    "test_mechanism_identified.py",
    "test_report_folder.py",
)

# Files that share what takes long with another one go to its worker
STUDIES = "test/core/reproduction"
WITH = {
    f"{STUDIES}/{file}.py": f"{STUDIES}/test_studies.py"
    for file in (
        "ebrahimi2009/test_units_study",
        "machielsen1983/test_arm_study",
        "machielsen1983/test_servo_studies",
        "mast/test_mast_studies",
        "oh2003/chapter_2/test_contribution_study",
    )
}

ASSESSMENT = "pkm_identification.identification.identify._assess"
# As `make quick` chooses its tests, and what makes all tests of a file slow.
QUICK, ALL_SLOW = "not slow", "\npytestmark = pytest.mark.slow\n"

LAUNCH_FILES = Path(__file__).parent / "launch"
# Folders whose tests mostly wait, for nodes and the clock.
WAITING = ("test/ros/", "test/launch/")

# Objects made between two collections of garbage; Python's own 700 cost an eighth of the time of compiling kernels.
GARBAGE = 20_000


# first, because launch_testing loads every file under its name alone to see whether it is a launch test: two files of
# one name end the collection, and a file that skips itself takes its whole folder with it
@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    """Files are collected by pytest alone, but those that launch_testing is for."""
    return (
        None if LAUNCH_FILES in module_path.parents else pytest.Module.from_parent(parent, path=module_path)
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With `--dist loadfile`: as always, but the last worker takes files that wait as long as there are any."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class WaitingBesideComputing(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            return WITH.get(file, file)

        def _assign_work_unit(self, node: Any) -> None:
            last = node is list(self.assigned_work)[-1]
            for file in self.workqueue:
                if last == (file.startswith(WAITING) or Path(file).name == FIRST):
                    self.workqueue.move_to_end(file, last=False)
                    break
            super()._assign_work_unit(node)

    return WaitingBesideComputing(config, log)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave files that are slow altogether out of the quick run: what they import takes seconds of each worker."""
    if config.option.markexpr != QUICK or collection_path.suffix != ".py":
        return None
    return True if ALL_SLOW in collection_path.read_text(encoding="utf-8") else None


def pytest_collection_finish() -> None:
    """What is imported by now stays: no collection need look at it again."""
    gc.freeze()
    gc.set_threshold(GARBAGE)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The first file, files without slow tests, then the longest, then the others; as collected otherwise."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}

    def place(item: pytest.Item) -> int:
        if item.path.name == FIRST:
            return -1
        if item.path.name in LONGEST:
            return 1 + LONGEST.index(item.path.name)
        return 1 + len(LONGEST) if item.path in slow else 0

    items.sort(key=place)


@pytest.fixture
def without_verdict(monkeypatch: pytest.MonkeyPatch) -> Callable[[], AbstractContextManager[Any]]:
    """Of a test that needs the verdict on one fit of two: within it, `identify` asks for none, as with `unjudged`."""

    @contextmanager
    def leave_out() -> Iterator[None]:
        with monkeypatch.context() as patch:
            patch.setattr(ASSESSMENT, lambda result, find_solution: result)
            yield

    return leave_out


@pytest.fixture
def unjudged(monkeypatch: pytest.MonkeyPatch) -> None:
    """`identify` ends with the estimator's own fit: the full model's verdict on it, half of the time, is not asked for.

    For tests of estimators alone; those of the verdict are in test/core/identification/full_model and diagnosis.
    """
    monkeypatch.setattr(ASSESSMENT, lambda result, find_solution: result)
