# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Figures: every axis labelled with its unit, nothing the data do not show, files of a reasonable size."""

import io
from dataclasses import replace
from datetime import datetime, timezone
from types import SimpleNamespace

import matplotlib
import numpy as np
import pytest
from core.report.made_identification import made_estimate, made_identification, without
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text
from PIL import Image

from pkm_identification.estimation.changes.trend import TOO_FEW, Trend
from pkm_identification.estimation.identifiability import UNIDENTIFIABLE
from pkm_identification.identification.diagnosis.findings import Residuals
from pkm_identification.identification.many_logs.history import ParameterHistory
from pkm_identification.identification.review.friction_curves import FrictionCurve
from pkm_identification.machines.hexapod import Hexapod
from pkm_identification.machines.load import load_machine
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.report.figures.forces import draw_residual_figure, forces_figure
from pkm_identification.report.figures.friction import draw_friction_curves_figure
from pkm_identification.report.figures.machine import machine_figure
from pkm_identification.report.figures.misfit import draw_misfit_figure
from pkm_identification.report.figures.parameters import draw_convergence_figure, draw_estimates_figure
from pkm_identification.report.figures.style import png
from pkm_identification.report.folder import report_figures
from pkm_identification.report.interactive.figures import interactive_figures
from pkm_identification.report.many_logs.page import draw_parameter_chart

pytestmark = pytest.mark.slow

UNITS = ("(kg)", "(kg m²)", "(N)", "(N s/m)", "(s)", "(m)", "(%)", "(Hz)", "(N/√Hz)", "N)")

DRIVES = Hexapod(Machine.load("uf")).drives


def visible(figure):
    return [axes for axes in figure.axes if axes.get_visible()]


@pytest.fixture(scope="module")
def figures():
    result = made_identification()
    rate = np.linspace(-0.3, 0.3, 40)
    law = 1000 * rate + 50 * np.tanh(rate / 0.002)
    curves = tuple(FrictionCurve(i, rate, law, np.full(40, 20.0), law) for i in range(6))
    return {
        **report_figures(result, truth=result.estimate.nominal * 1.05),
        "friction": draw_friction_curves_figure(curves, DRIVES),
    }


@pytest.mark.parametrize("name", ["estimates", "convergence", "forces", "residual", "machine"])
def test_figure_is_labelled_and_of_a_reasonable_size(figures, name):
    figure = figures[name]
    # a panel above another shares the label below it
    below = {axes.get_subplotspec().colspan.start: axes.get_xlabel() for axes in visible(figure)}
    for axes in visible(figure):
        assert below[axes.get_subplotspec().colspan.start].endswith(UNITS)
        if name == "convergence":
            assert axes.get_ylabel() in ("kg", "kg m²", "N", "N s/m")
        elif name != "estimates":
            assert axes.get_ylabel().endswith(UNITS)
        if hasattr(axes, "get_zlabel"):
            assert axes.get_zlabel().endswith(UNITS)
    data = png(figure)
    # lines of a whole log are dense
    assert len(data) < (350_000 if name == "forces" else 200_000)
    with Image.open(io.BytesIO(data)) as image:
        assert image.format == "PNG"
        assert 500 < image.width < 2000
        assert len(image.convert("RGB").getcolors(maxcolors=2**24)) > 20


@pytest.mark.parametrize(
    "name", ["estimates", "correlation", "convergence", "forces", "residual", "friction"]
)
def test_labels_lie_over_no_other_label(figures, name):
    figure = figures[name]
    png(figure)  # ticks and their labels are made only now
    renderer = figure.canvas.get_renderer()
    unseen = set()
    for axis in (one for axes in visible(figure) for one in (axes.xaxis, axes.yaxis)):
        low, high = sorted(axis.get_view_interval())
        for tick in axis.get_major_ticks():
            if not low <= tick.get_loc() <= high:
                unseen |= {tick.label1, tick.label2}
    unseen |= {text for axes in figure.axes if not axes.get_visible() for text in axes.findobj(Text)}
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    boxes = [(text.get_text(), text.get_window_extent(renderer)) for text in texts if text not in unseen]
    over = []
    for k, (first, a) in enumerate(boxes):
        for second, b in boxes[k + 1 :]:
            wide, high = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
            if wide > 1 and high > 1:
                over.append((first, second))
    assert over == []


def test_equal_results_make_equal_files_whatever_the_users_settings():
    first = png(draw_estimates_figure(made_estimate()))
    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "black"}):
        assert png(draw_estimates_figure(made_estimate())) == first
        assert matplotlib.rcParams["font.size"] == 30


def test_convergence_shows_only_what_is_identified():
    result = made_identification()
    figure = draw_convergence_figure(result.trace, result.estimate)
    titles = [axes.get_title(loc="left") for axes in visible(figure)]
    shown = [
        n for n, s in zip(result.estimate.names, result.estimate.status, strict=True) if s == "identifiable"
    ]
    assert titles == shown
    line = visible(figure)[0].get_lines()[0]
    i = result.estimate.names.index(shown[0])
    assert line.get_ydata()[-1] == result.trace.values[-1][i]
    low, high = visible(figure)[0].get_ylim()
    assert low < line.get_ydata()[-1] < high


@pytest.mark.parametrize("doubted", [("viscous_1",), made_estimate().names])
def test_convergence_of_values_in_doubt_is_shown_in_both_forms(doubted):
    result = made_identification()
    estimate = result.estimate
    status = tuple(
        "in_doubt" if name in doubted and one == "identifiable" else one
        for name, one in zip(estimate.names, estimate.status, strict=True)
    )
    result = without(replace(result, estimate=replace(estimate, status=status)), "validation")
    titles = [axes.get_title(loc="left") for axes in visible(report_figures(result)["convergence"])]
    (menu,) = interactive_figures(result)["convergence"]["layout"]["updatemenus"]
    assert titles == [button["label"] for button in menu["buttons"]]
    assert len(titles) == estimate.status.count("identifiable")


def test_convergence_over_several_logs_counts_equations():
    result = made_identification()
    trace = replace(result.trace, time=np.tile(result.trace.time[:100], 2))
    figure = draw_convergence_figure(trace, result.estimate)
    assert visible(figure)[-1].get_xlabel() == "equation (-)"


def test_estimates_draw_a_bar_for_each_identified_parameter():
    estimate = made_estimate()
    figure = draw_estimates_figure(estimate, truth=estimate.nominal)
    bars = sum(len(axes.patches) for axes in figure.axes)
    assert bars == estimate.status.count("identifiable") == 17
    texts = [text.get_text().strip() for axes in figure.axes for text in axes.texts]
    assert texts == ["not identifiable"] * 3
    first = figure.axes[0]
    labels = [label.get_text() for label in first.get_yticklabels()]
    lengths = dict(zip([n for n in labels if n not in ("m_p", "m_e", "Izz_p")], first.patches, strict=True))
    i = estimate.names.index("m_b")
    expected = 100 * (estimate.values[i] / estimate.nominal[i] - 1)
    assert lengths["m_b"].get_width() == pytest.approx(expected)


def test_estimates_with_nothing_shown_and_nominal_zero():
    estimate = made_estimate()
    nothing = replace(
        estimate, status=(UNIDENTIFIABLE,) * len(estimate.names), nominal=np.zeros(len(estimate.names))
    )
    figure = draw_estimates_figure(nothing)
    assert sum(len(axes.patches) for axes in figure.axes) == 0
    assert {axes.get_xlabel() for axes in figure.axes} == {
        "value (kg)",
        "value (kg m²)",
        "value (N s/m)",
        "value (N)",
    }
    assert len(png(figure)) > 1000


def test_forces_and_residuals_are_those_of_the_validation():
    validation = made_identification().validation
    panel = forces_figure(validation, DRIVES).axes[0]
    measured, predicted = panel.get_lines()
    rows = np.searchsorted(validation.time, measured.get_xdata())
    np.testing.assert_array_equal(measured.get_ydata(), validation.measured[rows, 0])
    np.testing.assert_array_equal(predicted.get_ydata(), validation.predicted[rows, 0])
    spectrum = draw_residual_figure(validation, DRIVES).axes[1]
    force = spectrum.get_lines()[0]
    peak = force.get_xdata()[np.argmax(force.get_ydata())]
    assert peak == pytest.approx(np.round(peak), abs=0.13)  # sines at 1 to 6 Hz


def test_residuals_of_a_log_with_a_hole_and_of_a_perfect_prediction():
    validation = made_identification().validation
    late = validation.time + 50.0 * (validation.time > 3.0)
    for changed in (
        replace(validation, time=late),
        replace(validation, predicted=validation.measured),
        replace(validation, measured=0 * validation.measured, predicted=0 * validation.measured),
    ):
        assert len(png(draw_residual_figure(changed, DRIVES))) > 1000
        assert len(png(forces_figure(changed, DRIVES))) > 1000


@pytest.mark.parametrize("name", ["uf", "hexel", "ford"])
def test_machine_picture_has_six_struts_of_the_home_lengths(name):
    machine = Machine.load(name)
    axes = machine_figure(Hexapod(machine)).axes[0]
    struts = [line for line in axes.get_lines() if line.get_linewidth() == 3]
    tips = machine.home_position + machine.platform_joints @ machine.home_rotation.T
    drawn = [np.linalg.norm(np.diff(np.array(line.get_data_3d()), axis=1)) for line in struts]
    np.testing.assert_allclose(drawn, np.linalg.norm(tips - machine.base_joints, axis=1))


@pytest.mark.parametrize("name", ["uf", "mast"])
def test_the_machine_picture_is_cut_off_nowhere(name):
    figure = machine_figure(load_machine(name))
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    panel, page = figure.axes[0], figure.bbox
    drawn = [one for one in (*panel.lines, *panel.collections) if one.get_visible()]
    assert not any(one.get_clip_on() for one in drawn)
    for line in panel.lines:
        seen = line.get_window_extent(canvas.get_renderer())
        assert page.x0 < seen.x0
        assert seen.x1 < page.x1
        assert page.y0 < seen.y0
        assert seen.y1 < page.y1


@pytest.mark.parametrize("name", ["uf", "hexel", "ford"])
def test_words_of_the_machine_picture_touch_no_strut(name):
    figure = machine_figure(Hexapod(Machine.load(name)))
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    (words,) = figure.legends
    struts = [line for line in figure.axes[0].get_lines() if line.get_linewidth() == 3]
    assert len(struts) == 6
    for strut in struts:
        assert not words.get_window_extent().overlaps(strut.get_window_extent(canvas.get_renderer()))
    assert not words.get_window_extent().overlaps(figure._suptitle.get_window_extent(canvas.get_renderer()))


def test_only_figures_with_something_to_show():
    result = made_identification()
    assert list(report_figures(without(result, "validation", "trace"))) == [
        "estimates",
        "correlation",
        "machine",
    ]
    assert list(report_figures(result)) == [
        "estimates", "correlation", "convergence", "forces", "residual", "machine",
    ]  # fmt: skip


def test_misfit_of_a_recording_counts_from_its_beginning():
    time = 1.8e9 + np.arange(0.0, 10.0, 0.04)
    relative = np.zeros((len(time), 6))
    relative[150, 2] = 8.0
    residuals = Residuals(time, relative)
    fit = SimpleNamespace(
        residuals=(residuals, residuals), per_strut=np.arange(6) == 2, causes=(), remarks=()
    )
    over_time = draw_misfit_figure(fit, DRIVES).axes[0]
    (line,) = over_time.get_lines()
    assert line.get_xdata()[0] == pytest.approx(4.0, abs=0.05)
    assert line.get_xdata()[np.argmax(line.get_ydata())] == pytest.approx(6.0)


@pytest.mark.parametrize("count", [1, 2])
def test_a_history_of_too_few_logs_has_points_and_no_line_between_them(count):
    times = tuple(datetime(2026, 1 + k, 1, tzinfo=timezone.utc) for k in range(count))
    values = np.arange(1.0, 1.0 + count)
    history = ParameterHistory(
        "m_p", "kg", "mass", None, None, 1.0, times, values, 0.1 * values, 0.1 * values,
        Trend(TOO_FEW, values, 1.0), (),
    )  # fmt: skip
    panel = draw_parameter_chart(history).axes[0]
    assert [text.get_text() for text in panel.get_legend().get_texts()] == ["logs, ± 2 standard deviations"]
    first, last = panel.get_xlim()  # days
    assert last - first < 100
