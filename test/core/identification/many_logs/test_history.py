# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm history on a real Dask cluster of which a worker is killed: every log once, what changed when, and only once."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import threading
import time
from datetime import datetime, timezone
from pathlib import Path

import pytest
import yaml
from core import synthetic

from pkm_identification.cli import main
from pkm_identification.errors import SettingsError
from pkm_identification.identification.many_logs.history import _build_entry, history
from pkm_identification.identification.many_logs.kept_results import ResultFolder, result_key
from pkm_identification.identification.many_logs.log_files import (
    LogFile,
    find_logs,
    read_log_file,
    time_of_name,
)
from pkm_identification.identification.many_logs.one_log import Job, identify_job
from pkm_identification.identification.many_logs.workers import run_on_workers
from pkm_identification.identification.settings import Settings
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.records.foreign import LogLayout
from pkm_identification.records.log import write_log

pytest.importorskip("distributed")
parquet = pytest.importorskip("pyarrow.parquet")
fsspec = pytest.importorskip("fsspec")

LOGS, WORN, GROWN = 8, 4, 1.5
DEADLINE = 300.0  # s


def worn(machine: Machine) -> Machine:
    document = json.loads(json.dumps(machine.document))
    document["friction"]["viscous"][2] *= GROWN
    return Machine.from_document(document)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Logs of eight days, before the last four of which the friction of strut 3 grew, a copy and one that is no log."""
    folder = tmp_path_factory.mktemp("history")
    logs = folder / "logs"
    logs.mkdir()
    (folder / "machine.yaml").write_text(yaml.safe_dump(synthetic.nominal().document))
    for k in range(LOGS):
        machine = synthetic.truth() if k < WORN else worn(synthetic.truth())
        write_log(logs / f"run_2026-03-{k + 1:02d}.csv", synthetic.log(machine, 8.0, k, real=True))
    (logs / "copy.csv").write_bytes((logs / "run_2026-03-02.csv").read_bytes())
    (logs / "broken_2026-03-09.csv").write_text("t,a,b\n1,2,3\n")
    return folder


def started(*arguments: str) -> subprocess.Popen:
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(sys.path),
        "OPENBLAS_NUM_THREADS": "1",
    }
    return subprocess.Popen(
        [sys.executable, "-m", *arguments],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def wait_for(there, what: str) -> None:
    end = time.monotonic() + DEADLINE
    while not there():
        assert time.monotonic() < end, what
        time.sleep(0.02)


@pytest.fixture(scope="module")
def finished(folder):
    """The command over a scheduler and two workers, one killed when two results are there; code and folder."""
    out, address = folder / "out", folder / "scheduler.json"
    own = ("--no-dashboard", "--scheduler-file", str(address))
    scheduler = started("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", *own)
    workers = []
    killed = threading.Event()

    def kill() -> None:
        wait_for(lambda: len(list((out / "results").glob("*.json"))) >= 2, "two results")
        os.kill(workers[0].pid, signal.SIGKILL)
        workers[0].wait(DEADLINE)
        killed.set()

    try:
        wait_for(lambda: address.exists() and address.read_text().endswith("}"), "the scheduler")
        place = json.loads(address.read_text())["address"]
        assert place.startswith("tcp://127.0.0.1:")
        for k in range(2):
            here = ("--nthreads", "1", "--no-nanny", "--local-directory", str(folder / f"worker_{k}"))
            workers.append(started("distributed.cli.dask_worker", "--host", "127.0.0.1", *own, *here))
        killer = threading.Thread(target=kill, daemon=True)
        killer.start()
        arguments = ["--machine", str(folder / "machine.yaml"), "--out", str(out), "--scheduler", place]
        code = main(["history", str(folder / "logs"), *arguments])
        killer.join(DEADLINE)
        assert killed.is_set()
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait(DEADLINE)
    return code, out


def rows(out: Path):
    return parquet.read_table(out / "history.parquet").to_pylist()


@pytest.mark.slow
def test_a_killed_worker_loses_nothing_and_doubles_nothing(finished):
    code, out = finished
    assert code == 1  # one log has no result
    table = rows(out)
    per_log = {}
    for row in table:
        per_log.setdefault(row["log"], []).append(row["name"])
    assert set(per_log) == {*(f"run_2026-03-{k + 1:02d}.csv" for k in range(LOGS)), "broken_2026-03-09.csv"}
    assert per_log.pop("broken_2026-03-09.csv") == [None]
    for names in per_log.values():
        assert len(names) == len(set(names)) >= 15
    keys = {row["key"] for row in table}
    assert keys == {path.stem for path in (out / "results").iterdir()}
    assert len(keys) == LOGS + 1


@pytest.mark.slow
def test_what_changed_is_said_with_its_date_and_nothing_else(finished):
    document = json.loads((finished[1] / "history.json").read_text())
    changed = {one["name"]: one for one in document["parameters"] if one["sentences"]}
    assert set(changed) == {"viscous_3"}
    (step,) = changed["viscous_3"]["steps"]
    assert step["since"] == "2026-03-05T00:00:00+00:00"
    true = (GROWN - 1) * synthetic.truth().friction.coefficients[0, 2]
    # the stated deviation of both means, and the scatter between logs is estimated
    assert abs(step["after"] - step["before"] - true) < 4 * step["std"]
    (sentence,) = changed["viscous_3"]["sentences"]
    assert sentence.startswith("viscous friction of strut 3 grew ")
    assert "since 2026-03-05" in sentence
    assert any(alarm.startswith("viscous_3: changed by +") for alarm in document["alarms"])
    assert any(alarm.startswith("broken_2026-03-09.csv: no result: ") for alarm in document["alarms"])
    assert document["copies"] == [{"log": "copy.csv", "of": "run_2026-03-02.csv"}]
    assert {log["time_source"] for log in document["logs"]} == {"name"}


@pytest.mark.slow
def test_the_page_has_a_chart_for_each_parameter(finished):
    page = (finished[1] / "report.html").read_text()
    names = {row["name"] for row in rows(finished[1]) if row["value"] is not None}
    assert page.count("data:image/png;base64,") == len(names)
    for name in names:
        assert f'alt="{name} over time"' in page
    assert "grew" in page
    assert "http" not in page.replace("http-equiv", "")


@pytest.mark.slow
def test_only_new_logs_are_worked_on_again(finished, folder, capsys):
    out, logs = finished[1], folder / "logs"
    before = rows(out)
    stamps = {path: path.stat().st_mtime_ns for path in (out / "results").iterdir()}
    # a damaged result is made again, a kept one is not touched
    victim = min(stamps)
    victim.write_text(victim.read_text()[:50])
    common = ["--machine", str(folder / "machine.yaml"), "--out", str(out), "--workers", "0"]
    assert main(["history", str(logs), *common]) == 1
    assert "1 identified now, 8 before" in capsys.readouterr().out
    after = rows(out)
    for one, other in zip(before, after, strict=True):
        if one["key"] != victim.stem:
            assert one == other
            continue
        # sums of another process may differ in their last digits
        assert one.keys() == other.keys()
        for name, value in one.items():
            expected = pytest.approx(value, rel=1e-6) if isinstance(value, float) else value
            assert other[name] == expected, name
    assert {path for path in stamps if path.stat().st_mtime_ns != stamps[path]} == {victim}


@pytest.mark.slow
def test_places_of_fsspec_are_read_and_written(folder, capsys):
    memory = fsspec.filesystem("memory")
    memory.pipe_file("/bucket/a_2026-03-01.csv", (folder / "logs" / "run_2026-03-01.csv").read_bytes())
    memory.pipe_file("/bucket/broken.csv", b"t,a\n1,2\n")
    command = ["history", "memory://bucket/*.csv", "--machine", str(folder / "machine.yaml")]
    try:
        assert main([*command, "--out", "memory://kept", "--workers", "0"]) == 1
        first = capsys.readouterr()
        assert "2 logs of uf: 2 identified now, 0 before, 1 without a result" in first.out
        assert "One log has a result" in first.out
        assert "memory://bucket/broken.csv: line 1" in first.err.replace("memory:///", "memory://")
        names = {path.rpartition("/")[2] for path in memory.find("/kept")}
        assert {"history.parquet", "history.json", "report.html"} <= names
        assert not any(name.endswith(".part") for name in names)
        machine = Machine.load(folder / "machine.yaml")
        settings, reading = (
            Settings.of(estimator="full"),
            {"topic": None, "layout": LogLayout.of(None, None, None, None)},
        )
        again = history([command[1]], machine, settings, reading, out=ResultFolder("memory://kept"))
        assert again.worked_on == 0
        other = history(
            [command[1]], machine, settings, reading | {"topic": "x"}, out=ResultFolder("memory://kept")
        )
        assert other.worked_on == 2
    finally:
        memory.rm("/bucket", recursive=True)
        memory.rm("/kept", recursive=True)


@pytest.mark.parametrize(
    ("name", "time"),
    [
        ("run_2026-03-02.csv", (2026, 3, 2)),
        ("20260302_143005_left.csv.gz", (2026, 3, 2, 14, 30, 5)),
        ("2026-03-02T14-30.csv", (2026, 3, 2, 14, 30)),
        ("2026-03-02/run7.csv", (2026, 3, 2)),
        ("2025-01-01/run_2026.03.02.csv", (2026, 3, 2)),
        ("run_2026-02-30.csv", None),
        ("part_120260302.csv", None),
        ("run7.csv", None),
    ],
)
def test_names_tell_when(name, time):
    assert time_of_name(name) == (None if time is None else datetime(*time, tzinfo=timezone.utc))


def test_a_recording_is_one_log_and_a_layout_belongs_to_its_log(tmp_path):
    write_log(tmp_path / "bag", synthetic.log(synthetic.truth(), 0.1))
    text = tmp_path / "run.txt"
    text.write_text("x")
    assert [name for _, name in find_logs([str(tmp_path)])] == ["bag", "run.txt"]
    assert [name for _, name in find_logs([str(tmp_path / "*")])] == ["bag", "run.txt"]
    assert [name for _, name in find_logs([str(tmp_path / "bag")])] == ["bag"]
    before = read_log_file(str(text), "run.txt")
    assert before.time_source == "modified"
    assert before.time.timestamp() == pytest.approx(text.stat().st_mtime)
    (tmp_path / "run.txt.columns.yaml").write_text("columns: {}")
    assert read_log_file(str(text), "run.txt").digest != before.digest
    assert [name for _, name in find_logs([str(tmp_path / "run*")])] == ["run.txt"]


def test_another_content_of_a_parameter_set_is_another_result(tmp_path):
    file = tmp_path / "set.yaml"
    machine, settings = synthetic.nominal(), Settings.of(estimator="ls", parameters=str(file))
    file.write_text("m_p: 1.0")
    before = result_key("0", machine, settings, {})
    assert result_key("0", machine, settings, {}) == before
    file.write_text("m_p: 2.0")
    assert result_key("0", machine, settings, {}) != before


def test_only_what_is_wrong_with_the_log_is_kept_as_a_failure(tmp_path):
    log, broken = tmp_path / "log.csv", tmp_path / "broken.csv"
    write_log(log, synthetic.log(synthetic.truth(), 0.5))
    broken.write_text("t,a,b\n1,2,3\n")
    machine, unreachable = synthetic.nominal(), str(tmp_path / "set.yaml")

    def record(path: Path, parameters: str) -> dict:
        settings = Settings.of(estimator="ls", parameters=parameters)
        return identify_job(Job("0", str(path), machine.document, "uf", settings, {}))

    found = record(log, unreachable)
    assert "set.yaml" in found["failure"]
    assert not found["kept"]
    found = record(broken, "identifiable")
    assert found["failure"]
    assert found["kept"]


def test_stamps_that_are_dates_are_the_time():
    file = LogFile("a", "a", "0", datetime(2026, 1, 1, tzinfo=timezone.utc), "name")
    start = datetime(2026, 2, 3, 4, 5, tzinfo=timezone.utc)
    entry = _build_entry(file, {"start": start.timestamp(), "failure": ""})
    assert (entry.time, entry.time_source) == (start, "stamps")
    assert _build_entry(file, {"start": None, "failure": ""}).time_source == "name"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["{folder}/none"], "no such file"),
        (["{folder}"], "no log (files that end in"),
        (["{folder}", "--workers", "-1"], "--workers -1: must not be negative"),
        (
            ["{folder}", "--workers", "2", "--scheduler", "tcp://127.0.0.1:1"],
            "--workers: not with --scheduler",
        ),
        (["{folder}", "--level", "2"], "--level 2: must lie between 0 and 1"),
        (["{folder}", "--alarm", "0"], "--alarm 0: must be positive"),
        (["nosuch://place"], "nosuch://place: cannot be opened"),
        (["{folder}", "--out", "{folder}/file"], "not a folder"),
        (["{folder}", "--estimator", "lss"], "estimator"),
    ],
)
def test_bad_input_is_one_line(tmp_path, capsys, arguments, said):
    (tmp_path / "file").write_text("")
    filled = [text.format(folder=tmp_path) for text in arguments]
    assert main(["history", *filled, "--machine", "uf"]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1


def test_a_page_that_no_report_wrote_is_kept(tmp_path, capsys):
    page = tmp_path / "report.html"
    page.write_text("mine")
    assert main(["history", str(tmp_path), "--machine", "uf", "--out", str(tmp_path)]) == 2
    assert "report.html: exists" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert page.read_text() == "mine"


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("http://127.0.0.1:8786", "unknown address scheme 'http'"),
        ("tls://127.0.0.1:8786", "tls needs a certificate"),
    ],
)
def test_an_address_that_no_scheduler_has_is_told_before_a_client_is_made(address, why):
    """Dask's client would wait for itself for 20 s when it is thrown away, and print a traceback."""

    def clients():
        return {id(one) for one in gc.get_objects() if type(one).__name__ == "Client"}

    before = clients()
    with pytest.raises(SettingsError, match=f"--scheduler {address}: no response: {why}") as told:
        run_on_workers([], lambda job, record: None, 0, address)
    # as long as the error is there, so is what it was raised beside
    assert told.value.__context__ is not None
    assert clients() <= before


def test_a_scheduler_that_is_not_there_is_told():
    with pytest.raises(SettingsError, match=r"--scheduler tcp://127\.0\.0\.1:1: no response"):
        run_on_workers([], lambda job, record: None, 0, "tcp://127.0.0.1:1", connect=0.5)


def test_a_missing_library_is_named(monkeypatch, capsys, tmp_path):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert main(["history", str(tmp_path), "--machine", "uf"]) == 2
    assert capsys.readouterr().err == (
        "pkm history: needs pyarrow: pip install 'pkm_identification[fleet]'\n"
    )
