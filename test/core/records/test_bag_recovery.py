# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Recordings cut off by a kill: what was flushed comes back, and nobody else's recording is touched."""

import signal
import subprocess
import sys

import pytest
from core.records.made_log import assert_same, latched, made_log

from pkm_identification.errors import LogError
from pkm_identification.motion import DriveLog
from pkm_identification.records.bags.reader import bag_qos, list_bag_topics, read_messages
from pkm_identification.records.bags.recovery import main, recover_bag
from pkm_identification.records.bags.writer import STORAGES, BagWriter
from pkm_identification.records.joint_state import JOINT_STATE, encode_struts
from pkm_identification.records.log import read_log

# Writes 60 messages of two topics, of which 40 are flushed, and waits to be killed.
CUT_OFF = """
import sys, time
from core.records.made_log import latched, made_log
from pkm_identification.records.bags.writer import BagWriter
from pkm_identification.records.joint_state import JOINT_STATE, encode_struts

writer = BagWriter(sys.argv[1], sys.argv[2])
messages, stamps = encode_struts(made_log(60))
writer.add_topic("/left/strut_states", JOINT_STATE, [latched()])
for k, (data, stamp) in enumerate(zip(messages, stamps)):
    if k == 40:
        writer.flush()
    writer.write("/left/strut_states" if k % 2 else "/right/strut_states", JOINT_STATE, data, stamp)
print("written", flush=True)
time.sleep(600)
"""


def killed(path, storage):
    """A recording whose process was killed after 60 messages, 40 of them flushed."""
    environment = {"PYTHONPATH": ":".join(sys.path)}
    command = [sys.executable, "-c", CUT_OFF, str(path), storage]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout.readline() == "written\n"
    return process


@pytest.mark.slow
@pytest.mark.parametrize("storage", STORAGES)
def test_what_was_flushed_before_a_kill_comes_back_byte_for_byte(tmp_path, storage):
    path = tmp_path / "bag"
    process = killed(path, storage)
    with pytest.raises(LogError, match="another process is recording there"):
        recover_bag(path)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    with pytest.raises(LogError, match=r"bags\.recovery .* finishes it"):
        read_log(path)
    assert recover_bag(path) == tmp_path / "bag_recovered"
    assert not (tmp_path / "bag.part").exists()
    assert list_bag_topics(tmp_path / "bag_recovered") == {
        "/left/strut_states": JOINT_STATE,
        "/right/strut_states": JOINT_STATE,
    }
    assert bag_qos(tmp_path / "bag_recovered") == {
        "/left/strut_states": [latched()],
        "/right/strut_states": [],
    }
    messages, stamps = encode_struts(made_log(60))
    found = list(read_messages(tmp_path / "bag_recovered"))
    assert 40 <= len(found) <= 60
    assert [message.data for message in found] == messages[: len(found)]
    assert [message.stamp for message in found] == stamps[: len(found)]
    assert recover_bag(path) is None


def left_behind(path, storage, count=30):
    """A recording whose writer is gone without a word."""
    writer = BagWriter(path, storage)
    messages, stamps = encode_struts(made_log(count))
    for data, stamp in zip(messages, stamps):
        writer.write("/strut_states", JOINT_STATE, data, stamp)
    writer.flush()
    writer._writer.abort()  # closes the file, as the end of the process would
    writer._lock.release()
    return path.with_name(path.name + ".part")


@pytest.mark.parametrize("storage", STORAGES)
def test_recovered_recordings_do_not_overwrite_each_other(tmp_path, storage):
    names = []
    for _ in range(2):
        left_behind(tmp_path / "bag", storage)
        names.append(recover_bag(tmp_path / "bag").name)
    assert names == ["bag_recovered", "bag_recovered_2"]
    for name in names:
        log = read_log(tmp_path / name)
        faults = log.faults
        assert_same(log, made_log(30))
        assert faults == {}


@pytest.mark.parametrize("size", [0, 5, 40, 300])
def test_an_mcap_file_cut_before_its_first_message_gives_nothing(tmp_path, size):
    part = left_behind(tmp_path / "bag", "mcap")
    file = next(part.rglob("*.mcap"))
    file.write_bytes(file.read_bytes()[:size])
    assert recover_bag(tmp_path / "bag") is None
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_read_is_moved_out_of_the_way(tmp_path, capsys):
    part = left_behind(tmp_path / "bag", "sqlite3")
    next(part.rglob("*.db3")).write_bytes(b"no database" * 1000)
    assert main([str(tmp_path / "bag")]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'bag_unreadable'}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["bag_unreadable"]
    assert main([str(tmp_path / "bag")]) == 1


@pytest.mark.parametrize("storage", STORAGES)
def test_flushing_changes_nothing_of_the_recording(tmp_path, storage):
    log: DriveLog = made_log(50)
    messages, stamps = encode_struts(log)
    with BagWriter(tmp_path / "bag", storage) as writer:
        writer.flush()
        writer.add_topic("/strut_states", JOINT_STATE)
        writer.flush()
        for data, stamp in zip(messages, stamps):
            writer.write("/strut_states", JOINT_STATE, data, stamp)
            writer.flush()
    found = read_log(tmp_path / "bag")
    faults = found.faults
    assert_same(found, log)
    assert faults == {}
    assert [path.name for path in tmp_path.iterdir()] == ["bag"]
