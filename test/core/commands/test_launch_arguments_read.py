# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Launch arguments: read as parameters, refused where there is none; launch is not needed for that."""

import pytest

from pkm_identification.ros.launching.arguments import COMMON, names, read_argument, refuse_unknown


@pytest.mark.parametrize(
    ("read", "text", "value"), [(float, "5", 5.0), (float, "1e-3", 1e-3), (int, "7", 7), (str, "x", "x")]
)
def test_text_becomes_the_kind_of_value_that_is_asked_for(read, text, value):
    found = read_argument("duration", read, text)
    assert (found, type(found)) == (value, read)


@pytest.mark.parametrize(
    ("read", "text", "kind"), [(float, "long", "a number"), (int, "1.5", "a whole number")]
)
def test_what_does_not_fit_is_said_with_the_name_of_the_argument(read, text, kind):
    with pytest.raises(ValueError, match=f"'duration' must be {kind}, not '{text}'"):
        read_argument("duration", read, text)


@pytest.mark.parametrize(("text", "value"), [("a, b,c", ["a", "b", "c"]), ("one", ["one"])])
def test_a_list_of_names_is_read(text, value):
    assert read_argument("joint_names", names, text) == value


@pytest.mark.parametrize("text", ["a,,b", "a,"])
def test_an_empty_name_is_refused(text):
    with pytest.raises(ValueError, match=f"'joint_names' .*commas.* '{text}'"):
        read_argument("joint_names", names, text)


LAUNCHED = ["ros2", "launch", "pkm_identification", "identify.launch.py"]
KNOWN = [one.name for one in COMMON]


def test_an_argument_that_a_file_does_not_have_is_refused_with_the_nearest_one():
    refused = r"identify.launch.py has no argument 'strut_state': did you mean 'strut_states'\?"
    with pytest.raises(ValueError, match=refused):
        refuse_unknown(
            "/share/launch/identify.launch.py", ["machine:=uf", "strut_state:=/x"], LAUNCHED, KNOWN
        )
    with pytest.raises(ValueError, match="no argument 'zzz'; it has namespace, machine"):
        refuse_unknown("/share/launch/identify.launch.py", ["zzz:=1"], LAUNCHED, KNOWN)


def test_the_arguments_of_a_file_that_includes_ours_are_not_asked_for():
    mine = ["ros2", "launch", "cell.launch.py"]
    refuse_unknown("/share/launch/identify.launch.py", ["robot:=left"], mine, KNOWN)
