"""Failure table, row 30: forces that no machine could have, or whose model nobody has judged yet."""

from __future__ import annotations

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from ros.domains import DOMAIN
from ros.rigs import StreamRig, status_with
from ros.ros_bench import StreamBench

from pkm_identification.msg import ParameterEstimate
from pkm_identification.nodes.controller import ControllerNode

ERROR = DiagnosticStatus.ERROR


@pytest.fixture(scope="module")
def chain():
    """strut_filter, kinematics, estimator and controller, for all tests here."""
    with StreamBench(DOMAIN) as bench:
        rig = StreamRig(bench)
        rig.controller = bench.start(ControllerNode, sample_rate=rig.RATE, lost_after=500.0)
        bench.connected("strut_states", subscribers=2)
        bench.connected("parameter_estimate", subscribers=2)
        yield rig


def reverse(time, length, force):
    """A sign forgotten."""
    force *= -1.0


def reverse_one(time, length, force):
    """A sign forgotten on one strut."""
    force[:, 1] *= -1.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "begin", "said"),
    [
        (reverse, 100.0, "must be greater than 0"),
        (reverse_one, 200.0, "viscous_2 is"),
    ],
)
def test_row_30_what_no_machine_can_have_is_an_error_in_doubt_and_refused_by_the_controller(
    chain, fault, begin, said
):
    """ERROR names it within seconds, parameters are IN_DOUBT, the controller keeps its model; a reset ends it."""
    chain.statuses.clear()
    chain.estimates.clear()
    before = chain.controller.health.counts["estimate_refused"]
    assert chain.bench.trigger("/estimator/reset").success
    chain.feed(chain.motion(begin, 3.5, fault))
    # which parameter is named first depends on when the diagnostics are sent
    status = status_with(chain.bench, chain.statuses, "no machine has this estimate", said)
    assert status.level == ERROR
    message = chain.estimates[-1]
    assert ParameterEstimate.IN_DOUBT in message.status
    assert said in message.cause_text
    assert ParameterEstimate.IDENTIFIABLE not in message.status
    chain.bench.wait(
        lambda: chain.controller.health.counts["estimate_refused"] > before, "the controller to refuse it"
    )
    assert chain.controller.controller.model.accepted == 0
    # the cause gone, a reset forgets what was learned from it
    assert chain.bench.trigger("/estimator/reset").success
    chain.feed(chain.motion(begin + 50.0, 1.5))
    chain.statuses.clear()
    chain.bench.wait(
        lambda: any(s.name == "estimator" and s.message == "ok" for a in chain.statuses for s in a.status),
        "'ok'",
    )
    assert ParameterEstimate.IN_DOUBT not in chain.estimates[-1].status
