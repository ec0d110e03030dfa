# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""rosbag2 recordings: strut logs in and out, raw messages, and damage answered with one clear line."""

import random
import re
import shutil
import sqlite3
from dataclasses import replace

import numpy as np
import pytest
from core.records.made_log import assert_same, made_log
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pkm_identification.errors import LogError, OutputError, SettingsError
from pkm_identification.motion import STRUT_NAMES, DriveLog
from pkm_identification.records.bags.reader import _open, list_bag_topics, read_messages
from pkm_identification.records.bags.writer import BagWriter, write_strut_bag
from pkm_identification.records.clocks import nanoseconds_of, seconds_of
from pkm_identification.records.interfaces import list_message_files, typestore
from pkm_identification.records.joint_state import JOINT_STATE, encode_struts
from pkm_identification.records.log import read_log, write_log

pytestmark = pytest.mark.slow

STORAGES = ["sqlite3", "mcap"]
NAMES = list(STRUT_NAMES)


@pytest.fixture(autouse=True, scope="module")
def short_logs():
    """Logs of a few messages are read, too: what is looked at is each message."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pkm_identification.records.log.FEWEST_SAMPLES", 1)
        patch.setattr("pkm_identification.records.log.refuse_implausible", lambda *_: None)
        yield


def joint_state(stamp, names, position, effort=(), velocity=(), frame="base"):
    types = typestore().types
    sec, nanosec = divmod(stamp, 10**9)
    return types[JOINT_STATE](
        header=types["std_msgs/msg/Header"](
            stamp=types["builtin_interfaces/msg/Time"](sec=sec, nanosec=nanosec), frame_id=frame
        ),
        name=list(names),
        position=np.array(position, dtype=float),
        velocity=np.array(velocity, dtype=float),
        effort=np.array(effort, dtype=float),
    )


def write_messages(path, messages, topic="/strut_states", storage="sqlite3", big_endian=False):
    with BagWriter(path, storage) as writer:
        for i, message in enumerate(messages):
            data = bytes(typestore().serialize_cdr(message, JOINT_STATE, little_endian=not big_endian))
            writer.write(topic, JOINT_STATE, data, i)


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("forces", [True, False])
def test_written_recording_reads_back_the_same(tmp_path, storage, forces):
    log = made_log(forces=forces)
    write_log(tmp_path / "bag", log, storage)
    read = read_log(tmp_path / "bag")
    faults = read.faults
    assert_same(read, log)
    assert faults == {}
    assert list_bag_topics(tmp_path / "bag") == {"/strut_states": JOINT_STATE}
    (file,) = (tmp_path / "bag").glob("bag.*")
    assert_same(read_log(file), log)


@pytest.mark.parametrize("storage", STORAGES)
def test_order_of_the_log_is_kept_where_stamps_repeat_or_run_back(tmp_path, storage):
    log = made_log()
    time = log.time + 100.0  # no message has a stamp before 0
    time[[4, 5]] = time[[5, 4]]
    time[8] = time[7]
    time[12:] -= 5.0
    log = DriveLog(time, log.length, log.force)
    write_strut_bag(tmp_path / "bag", log, storage)
    assert_same(read_log(tmp_path / "bag"), log)


@given(seed=st.integers(0, 1000), encoding=st.booleans())
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_row_03_permuted_and_extra_names_give_the_identical_log(tmp_path, seed, encoding):
    rng = random.Random(seed)
    log = made_log()
    path = tmp_path / "bag"
    shutil.rmtree(path, ignore_errors=True)
    messages = []
    for row in range(len(log)):
        names = [*NAMES, "gripper", "strut_7"]
        rng.shuffle(names)
        values = dict(zip(NAMES, zip(log.length[row], log.force[row], strict=True), strict=True))
        columns = [values.get(name, (9.0, 9.0)) for name in names]
        velocity = [1.0] * len(names) if rng.random() < 0.5 else []
        message = joint_state(
            nanoseconds_of(log.time[row]),
            names,
            *zip(*columns, strict=True),
            velocity,
            "f" * rng.randrange(9),
        )
        messages.append(message)
    write_messages(path, messages, big_endian=encoding)
    read = read_log(path)
    faults = read.faults
    assert_same(read, log)
    assert faults == {}


def test_row_04_messages_with_bad_names_or_lengths_are_dropped_and_counted(tmp_path):
    ones, twos = [1.0] * 6, [2.0] * 6
    messages = [
        joint_state(1, NAMES, ones, twos),
        joint_state(2, NAMES[:5], ones[:5], twos[:5]),
        joint_state(3, [*NAMES[:5], "strut_1"], ones, twos),
        joint_state(3, [*NAMES, "strut_1"], [*ones, 1.0], [*twos, 2.0]),
        joint_state(4, NAMES, ones[:5], twos),
        joint_state(5, NAMES, ones, twos[:3]),
        joint_state(6, NAMES, [], []),
        joint_state(7, NAMES, ones, []),
    ]
    write_messages(tmp_path / "bag", messages)
    log = read_log(tmp_path / "bag")
    faults = log.faults
    assert faults == {"missing_name": 2, "repeated_name": 1, "unequal_lengths": 3}
    np.testing.assert_array_equal(log.time, [1e-9, 7e-9])
    np.testing.assert_array_equal(log.force[0], twos)
    assert np.isnan(log.force[1]).all()


def test_row_04_recording_in_which_no_message_names_the_struts(tmp_path):
    write_messages(tmp_path / "bag", [joint_state(i + 1, [*NAMES[:5], "leg_6"], [1.0] * 6) for i in range(3)])
    message = "bag: no topic has the joints strut_1.*; message 1: name strut_6 is missing"
    with pytest.raises(LogError, match=message):
        read_log(tmp_path / "bag")


def test_topic_in_a_namespace_by_name_and_ambiguous(tmp_path):
    message = bytes(typestore().serialize_cdr(joint_state(1, NAMES, [1.0] * 6), JOINT_STATE))
    with BagWriter(tmp_path / "bag") as writer:
        writer.add_topic("/left/strut_states", "sensor_msgs/JointState")
        writer.write("/right/strut_states", "sensor_msgs/JointState", message, 5)
        writer.write("/plain_strut_states", JOINT_STATE, message, 6)
    with pytest.raises(
        LogError, match="several topics to choose from: /left/strut_states, /right/strut_states"
    ):
        read_log(tmp_path / "bag")
    for name in ("/right/strut_states", "right/strut_states", "/plain_strut_states"):
        assert len(read_log(tmp_path / "bag", None, name)) == 1
    with pytest.raises(LogError, match="topic /left/strut_states: no messages"):
        read_log(tmp_path / "bag", None, "/left/strut_states")


def test_row_27_missing_topic_lists_what_is_there(tmp_path):
    write_messages(tmp_path / "bag", [joint_state(1, NAMES, [1.0] * 6)], topic="/joint_states")
    with pytest.raises(LogError, match=r"bag: no topic /states; there are: /joint_states \(sensor_msgs"):
        read_log(tmp_path / "bag", None, "states")
    with pytest.raises(LogError, match="no topic /other; there are"):
        list(read_messages(tmp_path / "bag", ["/other"]))


def test_row_27_wrong_type(tmp_path):
    with BagWriter(tmp_path / "bag") as writer:
        writer.add_topic("/strut_states", "std_msgs/String")
    with pytest.raises(LogError, match="/strut_states is of type std_msgs/msg/String, expected sensor_msgs"):
        read_log(tmp_path / "bag")


def test_row_27_folder_that_is_no_bag(tmp_path):
    with pytest.raises(LogError, match=r"it has no metadata\.yaml"):
        read_log(tmp_path)
    with pytest.raises(LogError, match=r"none\.mcap: cannot be read: No such file"):
        read_log(tmp_path / "none.mcap")


@pytest.mark.parametrize("storage", STORAGES)
def test_row_27_a_recording_without_metadata_is_read_and_said_to_be_cut(tmp_path, storage):
    write_log(tmp_path / "bag", made_log(), storage)
    (tmp_path / "bag" / "metadata.yaml").unlink()
    log = read_log(tmp_path / "bag")
    faults = log.faults
    assert_same(log, made_log())
    assert faults == {"cut": 1}


@pytest.mark.parametrize(("count", "words"), [("'many'", "'many' messages"), ("1" + "0" * 400, "memory")])
def test_counts_that_no_recording_has_are_damage(tmp_path, count, words):
    write_log(tmp_path / "bag", made_log(), "sqlite3")
    place = tmp_path / "bag" / "metadata.yaml"
    place.write_text(re.sub(r"message_count: \d+", f"message_count: {count}", place.read_text()))
    with pytest.raises(LogError, match=words):
        read_log(tmp_path / "bag")


@pytest.mark.parametrize("folder", [True, False])
def test_row_27_what_a_killed_recorder_wrote_ahead_is_read(tmp_path, folder):
    write_log(tmp_path / "bag", made_log(), "sqlite3")
    database = tmp_path / "bag" / "bag.db3"
    recorder = sqlite3.connect(database)
    recorder.execute("PRAGMA journal_mode=WAL")
    rows = recorder.execute("SELECT id, topic_id, timestamp, data FROM messages WHERE id > 5").fetchall()
    recorder.execute("DELETE FROM messages WHERE id > 5")
    recorder.commit()
    recorder.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    recorder.executemany("INSERT INTO messages (id, topic_id, timestamp, data) VALUES (?, ?, ?, ?)", rows)
    recorder.commit()
    shutil.copytree(tmp_path / "bag", tmp_path / "left")  # as it is while the recorder runs
    recorder.close()
    log = read_log(tmp_path / "left" if folder else tmp_path / "left" / "bag.db3")
    faults = log.faults
    assert_same(log, made_log())
    assert faults == {"cut": 1}


def test_row_27_parts_of_an_unfinished_recording_are_read_by_their_numbers(tmp_path):
    truth, bag = made_log(count=120), tmp_path / "bag"
    bag.mkdir()
    for number in range(12):
        write_log(tmp_path / "one", truth[10 * number : 10 * (number + 1)], "mcap")
        (tmp_path / "one" / "one.mcap").rename(bag / f"bag_{number}.mcap")
        shutil.rmtree(tmp_path / "one")
    log = read_log(bag)
    faults = log.faults
    assert_same(log, truth)
    assert faults == {"cut": 1}


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("part", [0.0, 0.01, 0.3, 0.6, 0.9, 0.999])
@pytest.mark.parametrize("folder", [True, False])
def test_row_27_a_recording_is_read_up_to_where_it_was_cut(tmp_path, storage, part, folder):
    truth = made_log(count=3000)
    write_log(tmp_path / "bag", truth, storage)
    (file,) = (tmp_path / "bag").glob("bag.*")
    data = file.read_bytes()
    file.write_bytes(data[: int(part * len(data))])
    path = tmp_path / "bag" if folder else file
    try:
        log = read_log(path)
        faults = log.faults
    except LogError:
        assert part < 0.3
        return
    assert faults == {"cut": 1}
    assert 0.8 * part * 3000 - 600 < len(log) < 3000 * (part + 0.1)
    np.testing.assert_array_equal(log.length, truth.length[: len(log)])
    np.testing.assert_array_equal(log.force, truth.force[: len(log)])


@given(seed=st.integers(0, 2**32), name=st.sampled_from(["bag.db3", "bag.mcap", "metadata.yaml"]))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_mutated_recordings_are_read_or_refused_but_never_crash(tmp_path, seed, name):
    rng = random.Random(seed)
    bag = tmp_path / "bag"
    shutil.rmtree(bag, ignore_errors=True)
    write_log(bag, made_log(), "mcap" if name == "bag.mcap" else "sqlite3")
    data = bytearray((bag / name).read_bytes())
    for _ in range(rng.randrange(1, 20)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    (bag / name).write_bytes(bytes(data))
    try:
        log = read_log(bag)
    except LogError as error:
        message = str(error)
        assert "\n" not in message
    else:
        assert log.length.shape == (len(log.time), 6)


@given(seed=st.integers(0, 2**32))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_mutated_messages_are_decoded_or_refused(tmp_path, seed):
    from pkm_identification.records.joint_state import decode_joints

    rng = random.Random(seed)
    good = bytes(typestore().serialize_cdr(joint_state(1, NAMES, [1.0] * 6, [2.0] * 6), JOINT_STATE))
    bad = bytearray(good)
    for _ in range(rng.randrange(1, 6)):
        bad[rng.randrange(len(bad))] = rng.randrange(256)
    if rng.random() < 0.5:
        del bad[rng.randrange(1, len(bad)) :]
    try:
        decoded = decode_joints([good, bytes(bad), good], "bag", NAMES)
    except LogError as error:
        message = str(error)
        assert message.startswith("bag: message 2 is no sensor_msgs/msg/JointState: ")
    else:
        assert len(decoded.time) + sum(decoded.dropped.values()) == 3
        np.testing.assert_array_equal(decoded.position[[0, -1]], np.ones((2, 6)))


def test_row_10_zero_stamps_are_dropped_and_a_recording_of_nothing_else_is_refused(tmp_path):
    messages = [joint_state(stamp, NAMES, [1.0] * 6) for stamp in (0, 5, 0, 6)]
    write_messages(tmp_path / "some", messages)
    log = read_log(tmp_path / "some")
    faults = log.faults
    np.testing.assert_array_equal(log.time, [5e-9, 6e-9])
    assert faults == {"zero_stamp": 2}
    write_messages(tmp_path / "all", messages[:1] * 12)
    with pytest.raises(LogError, match="no usable message; message 1: its stamp is zero"):
        read_log(tmp_path / "all")


def test_a_log_that_begins_at_zero_keeps_its_first_sample(tmp_path):
    log = replace(made_log(), time=0.001 * np.arange(len(made_log())))
    write_log(tmp_path / "bag", log)
    again = read_log(tmp_path / "bag")
    faults = again.faults
    np.testing.assert_allclose(again.time, log.time, atol=1.01e-9)
    assert faults == {}


def test_time_that_is_no_stamp_is_refused_before_anything_is_written(tmp_path):
    log = made_log()
    log.time[3] = np.nan
    with pytest.raises(LogError, match="sample 4: time nan s"):
        write_log(tmp_path / "bag", log)
    assert list(tmp_path.iterdir()) == []


@given(st.integers(0, 2**31 - 1), st.integers(0, 10**9 - 1))
def test_stamps_become_the_nearest_double_and_back(sec, nanosec):
    assert seconds_of(0, nanosec) == float(f"0.{nanosec:09d}")
    assert abs(nanoseconds_of(seconds_of(sec, nanosec)) - (sec * 10**9 + nanosec)) <= 240
    assert nanoseconds_of(seconds_of(sec % 2**22, nanosec)) == sec % 2**22 * 10**9 + nanosec


@pytest.mark.parametrize("storage", STORAGES)
def test_recorder_keeps_messages_of_many_topics_in_order_and_bytes_unchanged(tmp_path, storage):
    written = []
    with BagWriter(tmp_path / "bag", storage) as writer:
        for i in range(30):
            topic = ("/strut_states", "/platform_state", "/parameter_estimate")[i % 3]
            kind = (
                JOINT_STATE,
                "pkm_identification/PlatformState",
                "pkm_identification/msg/ParameterEstimate",
            )
            data = bytes([0, 1, 0, 0]) + random.Random(i).randbytes(40)
            writer.write(topic, kind[i % 3], data, 100 + i)
            written.append((topic, 100 + i, data))
        assert writer.count == 30
        assert not (tmp_path / "bag").exists()
    read = list(read_messages(tmp_path / "bag"))
    assert [(message.topic, message.stamp, message.data) for message in read] == written
    assert {message.topic: message.type for message in read} == list_bag_topics(tmp_path / "bag")
    assert list_bag_topics(tmp_path / "bag")["/platform_state"] == "pkm_identification/msg/PlatformState"
    some = list(read_messages(tmp_path / "bag", ["/platform_state"]))
    assert [message.stamp for message in some] == list(range(101, 130, 3))


@pytest.mark.parametrize("storage", STORAGES)
def test_a_message_that_was_sent_again_keeps_its_place(tmp_path, storage):
    arrivals = [50, 80, 60, 60, 90, 10]
    messages, _ = encode_struts(made_log(6))
    with BagWriter(tmp_path / "bag", storage) as writer:
        for data, stamp in zip(messages, arrivals):
            writer.write("/strut_states", JOINT_STATE, data, stamp)
            writer.write("/other", JOINT_STATE, data, 70)
    found = list(read_messages(tmp_path / "bag", ["/strut_states"]))
    assert [message.stamp for message in found] == [50, 80, 80, 80, 90, 90]
    assert_same(read_log(tmp_path / "bag", None, "/strut_states"), made_log(6))


def test_own_messages_are_known_with_their_fields():
    assert [file.stem for file in list_message_files()] == [
        "ControllerState",
        "ParameterEstimate",
        "PlatformState",
        "StrutStates",
    ]
    for file in list_message_files():
        typestore().get_msgdef(f"pkm_identification/msg/{file.stem}")
    fields = dict(typestore().fielddefs["pkm_identification/msg/StrutStates"][1])
    assert {"header", "names", "coordinate", "rate", "acceleration", "force", "segment"} <= set(fields)


def test_unknown_message_type_and_storage_are_named(tmp_path):
    writer = BagWriter(tmp_path / "bag")
    with pytest.raises(LogError, match=r"topic /x: no definition .*nobody/msg/Thing"):
        writer.write("/x", "nobody/Thing", b"", 0)
    writer.abort()
    with pytest.raises(SettingsError, match="unknown storage 'bz2'; expected sqlite3 or mcap"):
        BagWriter(tmp_path / "bag", "bz2")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("storage", STORAGES)
def test_aborted_recording_leaves_nothing(tmp_path, storage):
    message = bytes(typestore().serialize_cdr(joint_state(1, NAMES, [1.0] * 6), JOINT_STATE))

    def interrupted() -> None:
        with BagWriter(tmp_path / "bag", storage) as writer:
            writer.write("/strut_states", JOINT_STATE, message, 0)
            assert (tmp_path / "bag.part").is_dir()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(tmp_path.iterdir()) == []


def test_recording_is_not_written_under_the_name_of_a_file(tmp_path):
    with pytest.raises(LogError, match=r"log\.mcap: .*folder"):
        write_log(tmp_path / "log.mcap", made_log())


def test_recordings_are_not_overwritten(tmp_path):
    write_log(tmp_path / "bag", made_log())
    with pytest.raises(OutputError, match="bag: exists already"):
        write_log(tmp_path / "bag", made_log())
    (tmp_path / "other.part").mkdir()
    with pytest.raises(OutputError, match=r"other\.part: exists already"):
        write_log(tmp_path / "other", made_log())
    with pytest.raises(OutputError, match="cannot be written: Not a directory"):
        write_log(tmp_path / "bag" / "bag.db3" / "inside", made_log())


def test_want_of_memory_is_no_damage(tmp_path):
    write_log(tmp_path / "bag", made_log())
    with pytest.raises(LogError, match="larger than this computer's memory"), _open(tmp_path / "bag"):
        raise MemoryError


@pytest.mark.parametrize("name", ["log.db3", "log.mcap", "log.bag"])
def test_a_text_with_the_ending_of_a_recording_is_called_no_recording(tmp_path, name):
    (tmp_path / name).write_text("t,length_1\n0,1\n" * 100)
    with pytest.raises(LogError, match=rf"{name}: no recording: does not begin as an? \w+"):
        read_log(tmp_path / name)


@pytest.mark.parametrize("name", ["log.csv", "bag"])
def test_a_log_of_other_drives_is_refused(tmp_path, name):
    values = np.zeros((5, 3))
    with pytest.raises(LogError, match="is of 3 drives, not 6"):
        write_log(tmp_path / name, DriveLog(0.001 * np.arange(5), values, values, "three"))
    assert not (tmp_path / name).exists()
