# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Which transport a node's process asks for, by its environment; ROS is not needed to decide it."""

import pytest

from pkm_identification.ros.node.transport import LOOPBACK, remove_shared_memory

FAST_DDS = "rmw_fastrtps_cpp"
LOCALHOST = {"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}


def changed(environment, middleware=FAST_DDS):
    made = dict(environment)
    remove_shared_memory(middleware, made)
    return made


@pytest.mark.parametrize("name", ["", "SUBNET", "SYSTEM_DEFAULT", "OFF"])
def test_udp_alone_and_the_range_stays(name):
    before = {"ROS_AUTOMATIC_DISCOVERY_RANGE": name} if name else {}
    assert changed(before) == {**before, "FASTDDS_BUILTIN_TRANSPORTS": "UDPv4"}


def test_peers_named_by_hand_go_with_udp():
    before = {"ROS_STATIC_PEERS": "192.0.2.7"}
    assert changed(before) == {**before, "FASTDDS_BUILTIN_TRANSPORTS": "UDPv4"}


def test_on_this_computer_a_profile_takes_the_place_of_the_range():
    assert changed(LOCALHOST) == {
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "SYSTEM_DEFAULT",
        "FASTDDS_DEFAULT_PROFILES_FILE": str(LOOPBACK),
    }
    assert "127.0.0.1" in LOOPBACK.read_text(encoding="utf-8")


@pytest.mark.parametrize("range_", ["", "SUBNET", "LOCALHOST"])
def test_the_deprecated_way_to_say_so_overrules_the_range_as_in_ros(range_):
    made = changed({"ROS_LOCALHOST_ONLY": "1", "ROS_AUTOMATIC_DISCOVERY_RANGE": range_})
    assert made == changed(LOCALHOST)


def test_the_deprecated_way_switched_off_says_nothing():
    before = {"ROS_LOCALHOST_ONLY": "0"}
    assert changed(before) == {**before, "FASTDDS_BUILTIN_TRANSPORTS": "UDPv4"}


@pytest.mark.parametrize("name", ["humble", "jazzy"])
def test_older_distributions_look_for_the_profile_under_an_older_name(name):
    made = changed({**LOCALHOST, "ROS_DISTRO": name})
    assert made["FASTRTPS_DEFAULT_PROFILES_FILE"] == str(LOOPBACK)
    assert "FASTDDS_DEFAULT_PROFILES_FILE" not in made


@pytest.mark.parametrize(
    "choice",
    [
        {"FASTDDS_BUILTIN_TRANSPORTS": "DEFAULT"},
        {"FASTDDS_DEFAULT_PROFILES_FILE": "/mine.xml"},
        {"FASTRTPS_DEFAULT_PROFILES_FILE": "/mine.xml"},
    ],
)
@pytest.mark.parametrize("range_", [{}, LOCALHOST])
def test_who_has_chosen_keeps_the_choice(choice, range_):
    assert changed({**choice, **range_}) == {**choice, **range_}


@pytest.mark.parametrize("name", ["ROS_STATIC_PEERS", "ROS_DISCOVERY_SERVER"])
def test_no_profile_bound_to_loopback_beside_peers_it_could_not_reach(name):
    before = {**LOCALHOST, name: "192.0.2.7"}
    assert changed(before) == before


@pytest.mark.parametrize("middleware", ["rmw_cyclonedds_cpp", "rmw_zenoh_cpp"])
@pytest.mark.parametrize("before", [{}, LOCALHOST, {"ROS_LOCALHOST_ONLY": "1"}])
def test_nothing_is_changed_for_another_middleware(middleware, before):
    # least of all the range: a node told to stay on this computer would go out
    assert changed(before, middleware) == before


@pytest.mark.parametrize("before", [{}, LOCALHOST, {"ROS_LOCALHOST_ONLY": "1"}])
def test_a_process_started_by_a_node_gets_the_same(before):
    assert changed(changed(before)) == changed(before)
