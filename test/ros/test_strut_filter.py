# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""strut_filter: exactly the numbers of its stages, its life cycle, and what it refuses."""

import numpy as np
import pytest
import yaml
from ros.rigs import FilterRig, Part, assert_equal, expected
from ros.ros_bench import Motion

from pkm_identification.mechanisms.builtin import list_builtin_files
from pkm_identification.nodes.strut_filter import StrutFilterNode
from pkm_identification.ros.clock import seconds


@pytest.fixture
def rig(bench):
    return FilterRig(bench)


def test_the_node_gives_exactly_what_the_stages_give(rig):
    motion = Motion(300)
    samples = expected(motion)
    rig.feed(motion.messages())
    assert_equal(rig.settle(len(samples)), samples)
    assert rig.output[0].delay == rig.node.stage.delay
    # the stamp is that of the instant described
    assert seconds(rig.output[0].header.stamp) == pytest.approx(
        motion.time[0] + rig.node.stage.delay, abs=1e-9
    )


def test_strokes_and_shares_of_the_rating_are_what_parameters_say(bench, tmp_path):
    document = yaml.safe_load(list_builtin_files("machines")["uf"].read_text())
    document["drive"]["rated_force"] = 2000.0
    path = tmp_path / "rated.yaml"
    path.write_text(yaml.safe_dump(document))
    rig = FilterRig(bench, machine=str(path), length_at_zero=[0.25], effort_unit="%")
    motion = Motion(300)
    messages = motion.messages()
    for message in messages:
        message.position = [length - 0.25 for length in message.position]
        message.effort = [force / 20.0 for force in message.effort]
    samples = expected(motion)
    rig.feed(messages)
    for got, wanted in zip(rig.settle(len(samples)), samples, strict=True):
        np.testing.assert_allclose(got.coordinate, wanted.coordinate, atol=1e-12)
        np.testing.assert_allclose(got.force, wanted.force, rtol=1e-9)


def test_efforts_that_come_later_are_not_mixed_with_their_absence(rig):
    motion = Motion(300)
    messages = motion.messages()
    for message in messages[:150]:
        message.effort = []
    rig.feed(messages)
    samples = [*expected(Part(motion, slice(150)), force=False), *expected(Part(motion, slice(150, None)))]
    assert_equal(rig.settle(len(samples)), samples)


def test_silence_is_a_warning(bench, rig):
    statuses = bench.diagnostics()
    bench.wait(lambda: any("no samples" in s.message for a in statuses for s in a.status), "the warning")


def test_life_cycle_transitions_silence_and_revive_the_node(bench, rig):
    motion = Motion(200)
    rig.node.trigger_deactivate()
    bench.wait(lambda: rig.driver.get_subscription_count() == 0, "no subscriber while inactive")
    rig.node.trigger_cleanup()
    rig.node.trigger_configure()
    rig.node.trigger_activate()
    bench.wait(lambda: rig.driver.get_subscription_count() == 1, "the subscriber again")
    bench.connected("strut_states/filtered")
    rig.feed(motion.messages())
    assert_equal(rig.settle(len(expected(motion))), expected(motion))


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"machine": "nosuch"}, "machine 'nosuch': is neither built in"),
        ({"cutoff": 600.0}, "cutoff is 600.0 Hz, must lie between 0 and 500.0 Hz"),
        ({"joint_names": ["a", "b"]}, "6 different joint names"),
        ({"length_at_zero": [0.1, 0.2]}, "must be one number, or 6"),
        ({"effort_unit": "%"}, "rated_force"),
        ({"effort_unit": "furlong"}, "unknown"),
    ],
)
def test_configuration_refuses_what_cannot_work_with_one_line(bench, parameters, text):
    with pytest.raises(Exception, match=text.replace("(", r"\(")) as caught:
        bench.start(StrutFilterNode, **parameters)
    assert "\n" not in str(caught.value)
