# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The report in a browser: every figure drawn, nothing asked outside, readable without scripts and by anybody."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from core.report.made_identification import made_fit, made_identification
from PIL import Image

from pkm_identification.identification.review.friction_curves import FrictionCurve
from pkm_identification.identification.review.review import Review, Travel, machine_path
from pkm_identification.machines.capabilities import motion_of_platform
from pkm_identification.report.interactive.figures import interactive_figures, packed_script
from pkm_identification.report.page import Material, html_page
from pkm_identification.simulation.trajectories import trajectory

from .conftest import NARROW, WIDE

pytestmark = pytest.mark.slow
pytest.importorskip("plotly", reason="plotly is not installed (pip install '.[report]')")

# What must be in each figure: plotly passes over a kind of trace that it does not know without a word.
DRAWN = {
    "correlation": (".heatmaplayer image", 1),
    "convergence": (".scatterlayer .trace", 4),
    "forces": (".scatterlayer .trace", 3),
    "residual": (".scatterlayer .trace", 13),
    # each line again in the strip to zoom by
    "misfit": (".scatterlayer .trace, .barlayer .trace .point", 18),
    "friction": (".scatterlayer .trace", 12),
}
DEADLINE = 180.0  # s
# Pairs of labels of one figure that lie over each other by more than a pixel.
OVERLAPS = """() => {
  const found = [];
  for (const place of document.querySelectorAll(".plot")) {
    const labels = [...place.querySelectorAll(".infolayer text, .xtick text, .ytick text, .x2tick text, .y2tick text")]
      .filter((one) => one.textContent.trim() && one.getBoundingClientRect().width > 0);
    const boxes = labels.map((one) => one.getBoundingClientRect());
    for (let i = 0; i < boxes.length; i += 1) for (let j = i + 1; j < boxes.length; j += 1) {
      const [a, b] = [boxes[i], boxes[j]];
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      const names = `${place.dataset.figure}: ${labels[i].textContent} / ${labels[j].textContent}`;
      if (wide > 1 && high > 1) found.push(names);
    }
  }
  return found;
}"""


def picture():
    """A small one: what real ones show is tested with the figures."""
    file = io.BytesIO()
    Image.new("RGB", (60, 40), "white").save(file, format="png")
    return file.getvalue()


def made_review(result):
    rng = np.random.default_rng(3)
    rate = np.linspace(-0.3, 0.3, 40)
    law = 1000 * rate + 50 * np.tanh(rate / 0.002)
    curves = tuple(FrictionCurve(i, rate, law + rng.normal(size=40), np.full(40, 2.0), law) for i in range(6))
    motion = trajectory("rich", result.machine.description).motion(np.linspace(0.0, 4.0, 21))
    used = Travel(
        np.array([[0.35, 0.5]] * 6), np.array([0.3, 0.55]), np.full(6, 0.3), np.full(6, 500.0), np.full(6, 0.7),
        np.full(6, 3000.0),
        np.array([[-0.05, 0.05]] * 3), np.array([[-0.1, 0.1]] * 3),
    )  # fmt: skip
    return Review(
        used, curves, (), machine_path(motion.time, motion_of_platform(result.machine.description, motion))
    )


A4 = 718  # px of 1/96 inch between a sheet's margins of 1 cm


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    result = replace(made_identification(), fit=made_fit())
    reviewed = made_review(result)
    images = dict.fromkeys((*DRAWN, "machine"), picture())
    script = packed_script()
    assert script is not None
    material = Material(result, images, interactive_figures(result, None, reviewed), script, reviewed)
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(html_page(material), encoding="utf-8")
    return path


def drawn(visit, page, **options):
    seen = visit(page, **options)
    # the script is 5 MB: a busy computer takes its time
    seen.wait("document.documentElement.dataset.figures === 'drawn'", DEADLINE)
    return seen


@pytest.mark.parametrize(
    ("size", "dark"), [(WIDE, False), (NARROW, True)], ids=["a desk in the light", "a telephone in the dark"]
)
def test_every_figure_is_drawn_without_an_error_or_a_request(visit, page, size, dark):
    seen = drawn(visit, page, size=size, dark=dark)
    # what is wider scrolls by itself
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= size[0]
    counts = {
        name: seen.page.locator(f"#{name} .plot").locator(selector).count()
        for name, (selector, _) in DRAWN.items()
    }
    assert seen.errors == []
    assert counts == {name: count for name, (_, count) in DRAWN.items()}
    assert seen.page.locator(".plot[data-drawn=yes]").count() == len(DRAWN)
    assert seen.page.evaluate(OVERLAPS) == []
    assert seen.inaccessible() == []
    # the one figure that is always a picture is drawn on white, and no white sheet in the dark
    screen = Image.open(io.BytesIO(seen.page.locator("#machine img").screenshot())).convert("L")
    darkest, brightest = screen.getextrema()
    assert (brightest < 64) if dark else (darkest > 192)
    # a picture stands for each of them on paper only
    assert seen.page.locator(".drawn-figure img:visible").count() == 0
    seen.page.emulate_media(media="print")
    assert seen.page.locator(".drawn-figure img:visible").count() == len(DRAWN)
    assert seen.page.locator(".plot:visible").count() == 0
    if size == WIDE:
        seen.page.set_viewport_size({"width": A4, "height": 1000})
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= A4
    assert seen.errors == []
    assert seen.asked_outside == []


def test_no_button_of_a_figure_sends_data_anywhere(visit, page):
    seen = drawn(visit, page)
    names = set(seen.page.locator(".modebar-btn").evaluate_all("all => all.map(one => one.dataset.title)"))
    # whatever else a later plotly offers is looked at before it is allowed
    assert names == {
        "Download plot as a PNG",
        "Zoom",
        "Pan",
        "Zoom in",
        "Zoom out",
        "Autoscale",
        "Reset axes",
    }
    assert set(
        seen.page.locator(".plot").evaluate_all("all => all.map(one => one._context.plotlyServerURL)")
    ) == {""}


def test_what_is_chosen_is_drawn_and_the_machine_is_where_the_slider_says(visit, page):
    seen = drawn(visit, page)
    title = "document.querySelector('#convergence .plot').layout.yaxis.title.text"
    assert seen.page.evaluate(title).startswith("m_b")
    seen.page.evaluate(
        "Plotly.update(...(() => { const place = document.querySelector('#convergence .plot');"
        "const { args } = place.layout.updatemenus[0].buttons[3]; return [place, ...args]; })())"
    )
    assert seen.page.evaluate(title).startswith("It_b")
    assert seen.page.locator("#convergence .scatterlayer .trace").count() == 4
    lengths = "machineView.lengths.map(length => length.toFixed(9)).join()"
    first = seen.page.evaluate(lengths)
    slider = seen.page.locator("#instant")
    slider.focus()
    slider.press("End")
    assert seen.page.locator("#time").inner_text() == "4.00 s of 4.00 s"
    assert seen.page.evaluate(lengths) != first


def test_without_scripts_all_figures_are_pictures_and_all_numbers_are_there(browser, page):
    context = browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(page.as_uri())
    images = plain.locator("figure img")
    assert images.count() == len(DRAWN) + 1
    assert all(images.nth(k).is_visible() for k in range(images.count()))
    assert not plain.locator("#motion").is_visible()
    text = plain.locator("body").inner_text()
    headings = re.findall(r"^(?:Is it good|What is not known|What is wrong|What next)\?$", text, re.MULTILINE)
    assert headings == ["Is it good?", "What is not known?", "What is wrong?", "What next?"] * 2
    for part in ("15.250", "Only in combinations: m_p, m_e", "held_out.csv"):
        assert part in text
    context.close()


def test_a_page_without_plotly_has_pictures_only(visit, page, tmp_path):
    result = replace(made_identification(), fit=made_fit())
    path = tmp_path / "report.html"
    path.write_text(html_page(Material(result, {"misfit": picture()})), encoding="utf-8")
    seen = visit(path)
    assert seen.page.locator("#misfit img").is_visible()
    assert seen.page.locator(".plot").count() == 0
    assert seen.errors == []


def test_figures_are_what_plotly_takes():
    graph_objects = pytest.importorskip("plotly.graph_objects")
    result = replace(made_identification(), fit=made_fit())
    for name, document in interactive_figures(result, result.estimate.nominal, made_review(result)).items():
        # refuses names that plotly.js would pass over in silence; colours of the page stand in for any
        coloured = json.loads(re.sub(r'"--\w+"', '"#123456"', json.dumps(document)))
        assert len(graph_objects.Figure(coloured).data) == len(document["data"]), name


def test_the_choice_of_a_strut_is_not_under_the_buttons_of_the_figure(visit, page):
    seen = drawn(visit, page)
    boxes = """name => {
        const place = document.querySelector(`#${name} .plot`);
        return ['.updatemenu-container', '.modebar'].map(part => {
            const box = place.querySelector(part).getBoundingClientRect();
            return [box.left, box.top, box.right, box.bottom];
        });
    }"""
    for name in ("forces", "convergence"):
        seen.page.locator(f"#{name} .plot").hover()
        (left, top, right, bottom), bar = seen.page.evaluate(boxes, name)
        assert right > left
        assert bar[2] > bar[0]
        assert bar[3] <= top or bar[1] >= bottom or bar[2] <= left or bar[0] >= right, name
