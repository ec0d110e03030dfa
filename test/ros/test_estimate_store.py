# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What an estimator goes on from: its own file, in place of a damaged one that before it, and nothing where none is."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from core.report.made_identification import made_identification

from pkm_identification.errors import DocumentError, OutputError
from pkm_identification.identification.estimate_file import write_estimate_json
from pkm_identification.identification.settings import Settings
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.ros.estimates.store import EstimateStore, estimate_folder, estimate_name

MACHINE = Machine.load("uf")
PARAMETERS = list_hexapod_parameters(MACHINE)


@pytest.fixture
def store(tmp_path):
    """A store with its own file and the one before it."""
    store = EstimateStore(MACHINE, Settings(), tmp_path / "estimate.json", "left/uf")
    for path in (store.path, store.previous):
        write_estimate_json(path, made_identification())
    return store


def damage(path):
    document = json.loads(path.read_text())
    document["state"]["mean"][0] *= 1.001
    path.write_text(json.dumps(document))


def test_its_own_file_is_taken(store):
    assert store.start_value("", True, PARAMETERS).source == str(store.path)
    assert store.trouble == ""
    assert store.start_value("", False, PARAMETERS) is None


def test_another_machine_of_the_same_description_is_not_gone_on_from(store):
    write_estimate_json(store.path, made_identification(), machine_id="left/uf")
    assert store.start_value("", True, PARAMETERS).machine_id == "left/uf"
    other = EstimateStore(MACHINE, Settings(), store.path, "right/uf")
    with pytest.raises(DocumentError, match="is of machine 'left/uf', this one is 'right/uf'"):
        other.start_value("", True, PARAMETERS)
    # given on purpose it is a start like any other
    assert other.start_value(str(store.path), False, PARAMETERS).machine_id == "left/uf"


def test_estimates_are_kept_where_ros_keeps_its_files(tmp_path):
    home = Path("~/.ros/pkm_identification").expanduser().resolve()
    assert estimate_folder("", {}) == home
    assert estimate_folder("", {"ROS_HOME": ""}) == home
    assert estimate_folder("", {"ROS_HOME": str(tmp_path)}) == tmp_path / "pkm_identification"
    assert estimate_folder(str(tmp_path / "own"), {"ROS_HOME": "/elsewhere"}) == tmp_path / "own"


def test_files_are_named_after_their_machine():
    assert estimate_name("mine.json", "left/uf") == "mine.json"
    assert estimate_name("", "left/uf") == "left_uf.json"
    assert estimate_name("", "../../cell 1/uf") == "_.._cell_1_uf.json"


def test_in_place_of_a_damaged_file_stands_the_one_before(store):
    damage(store.path)
    assert store.start_value("", True, PARAMETERS).source == str(store.previous)
    assert str(store.path) in store.trouble


def test_a_file_that_was_taken_away_is_a_new_start(store):
    store.path.unlink()
    assert store.start_value("", True, PARAMETERS) is None
    assert store.trouble == ""


def test_where_both_are_damaged_it_says_so_once(store):
    damage(store.path)
    damage(store.previous)
    assert store.start_value("", True, PARAMETERS) is None
    assert store.trouble.count("could not go on") == 1
    assert str(store.path) in store.trouble


def test_what_is_known_is_new_to_a_file_of_another_name(store, tmp_path):
    store.saved = 7
    store.rename(store.path)
    assert store.saved == 7
    store.rename(tmp_path / "other.json")
    assert (store.path.name, store.saved) == ("other.json", 0)


def test_of_two_estimators_on_one_file_the_second_is_refused(store):
    store.claim()
    store.claim()
    other = EstimateStore(MACHINE, Settings(), store.path, "left/uf")
    with pytest.raises(OutputError, match=f"another estimator .*process {os.getpid()}"):
        other.claim()
    # another name is another file
    other.rename(store.path.with_name("other.json"))
    other.claim()
    other.rename(store.path)
    store.release()
    store.release()
    other.claim()
    with pytest.raises(OutputError, match="another estimator"):
        store.claim()


def test_a_claim_ends_with_its_process(store):
    code = (
        "import os, sys; from pathlib import Path; from pkm_identification.ros.estimates.store import FileClaim\n"
        "FileClaim(Path(sys.argv[1])).take(); os.kill(os.getpid(), 9)"
    )
    result = subprocess.run([sys.executable, "-c", code, str(store.path)], check=False)
    assert result.returncode == -signal.SIGKILL
    assert store.path.with_suffix(".lock").exists()
    store.claim()
