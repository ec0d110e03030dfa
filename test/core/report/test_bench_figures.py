# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Figures of machines with actuators, and of deviations, say what the tables beside them say."""

import numpy as np
import pytest

from pkm_identification.report.figures.bench import draw_response_figure, modes_figure, step_figure
from pkm_identification.report.figures.directions import draw_deviations_figure
from pkm_identification.simulation.actuated.frequency_response import Response
from pkm_identification.simulation.actuated.modes import Mode, Modes
from pkm_identification.simulation.actuated.step_test import StepAnswer
from pkm_identification.simulation.actuated.subject import Subject


@pytest.fixture(scope="module")
def subject():
    return Subject.load("uf_hydraulic")


def test_modes_are_headed_by_the_frequency_at_which_they_swing(subject):
    six = np.ones(6)
    mode = Mode(35.0, 35.0, 0.6, six, six / 6, six)
    held = Mode(50.0, None, None, six, six / 6, six)
    figure = modes_figure(subject, Modes((mode, held), np.eye(6), six, six, six, ("x",) * 6))
    assert figure.axes[0].get_title(loc="left") == "35.0 Hz, damped 28.0 Hz, ratio 0.600"
    assert figure.axes[1].get_title(loc="left") == "50.0 Hz"


def test_forces_of_struts_are_in_newtons(subject):
    time = np.linspace(0.0, 0.1, 5)
    answer = StepAnswer(time, time, time, np.zeros((5, 6)), None, None, None)
    figure = step_figure(subject, "z", 0.002, answer)
    assert figure.axes[1].get_ylabel() == "force (N)"
    assert len({line.get_color() for line in figure.axes[1].lines}) == 6


def test_frequencies_and_errors_are_plain_numbers(subject):
    gain = np.array([1.0, 0.9, 0.5]) + 0j
    made = Response(
        np.array([1.0, 5.0, 20.0]), gain, gain, None, np.array([0.06, 0.2, 0.5]), np.array([0.3, 0.5, 0.8])
    )
    figure = draw_response_figure(subject, "z", 0.001, made)
    figure.draw_without_rendering()
    for axis in (figure.axes[2].xaxis, figure.axes[2].yaxis):
        texts = [label.get_text() for label in axis.get_ticklabels(which="both")]
        assert "10" in texts
        assert not any("$" in text for text in texts)


def test_what_has_no_deviation_says_so():
    expected = np.array([0.1, np.nan])
    figure = draw_deviations_figure(["m_p", "m_b"], np.ones(2), expected, None, "a log")
    assert [text.get_position()[0] for text in figure.axes[0].texts] == [1]
    stated = draw_deviations_figure(["m_p", "m_b"], np.ones(2), expected, np.array([0.1, 0.2]), "a log")
    assert not stated.axes[0].texts
