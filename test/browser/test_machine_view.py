# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The machine in 3D: opened from a file, in a browser without any network."""

from __future__ import annotations

import numpy as np
import pytest

from pkm_identification.browser.inline import MACHINE_SCRIPTS, inline_data, inline_script
from pkm_identification.browser.machine_scene import machine_scene, poses
from pkm_identification.machines.hexapod import Hexapod
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.simulation.trajectories import trajectory

pytestmark = pytest.mark.slow
COLOURS = """data => new Promise(done => {
  const image = new Image();
  image.onload = () => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    const pen = canvas.getContext("2d", {willReadFrequently: true});
    pen.drawImage(image, 0, 0);
    const pixels = pen.getImageData(0, 0, image.width, image.height).data;
    const seen = new Set();
    let drawn = 0;
    for (let i = 0; i < pixels.length; i += 4) if (pixels[i + 3] > 0) {
      drawn += 1;
      seen.add((pixels[i] >> 4) + "," + (pixels[i + 1] >> 4) + "," + (pixels[i + 2] >> 4));
    }
    done([drawn / (image.width * image.height), seen.size]);
  };
  image.src = data;
})"""


@pytest.fixture(scope="module")
def machine():
    return Machine.load("uf")


@pytest.fixture(scope="module")
def file(machine, tmp_path_factory):
    path = tmp_path_factory.mktemp("view") / "machine.html"
    motion = trajectory("rich", machine).motion(np.linspace(0.0, 4.0, 9))
    parts = [inline_data("scene", machine_scene(Hexapod(machine)))]
    parts += [inline_data("poses", poses(motion.position, motion.rotation).tolist())]
    parts += map(inline_script, MACHINE_SCRIPTS)
    parts += [
        "<script>const data = id => JSON.parse(document.getElementById(id).textContent);"
        'const dark = matchMedia("(prefers-color-scheme: dark)").matches;'
        'globalThis.poses = data("poses");'
        'globalThis.view = new PkmMachineView(document.getElementById("view"), data("scene"), '
        '{theme: dark ? "dark" : "light"});</script>'
    ]
    path.write_text(
        '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>machine</title>'
        "<style>@media (prefers-color-scheme: dark) { body { background: #14181f; } }</style>"
        f'<div id="view" style="width: 480px; height: 400px"></div>{"".join(parts)}</html>',
        encoding="utf-8",
    )
    return path, strut_lengths(machine, motion.position, motion.rotation)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_machine_is_drawn_from_a_file_without_an_error_or_a_request(visit, file, dark):
    path, _ = file
    seen = visit(path, dark=dark)
    seen.wait("view.frames > 0")
    covered, colours = seen.page.evaluate(f"({COLOURS})(view.picture())")
    # an empty or one-coloured picture is what fails without a message
    assert 0.1 < covered < 0.9
    assert colours > 40
    assert seen.errors == []
    assert seen.asked_outside == []


def test_struts_end_where_the_inverse_kinematics_says(visit, file):
    path, lengths = file
    seen = visit(path)
    found = seen.page.evaluate("poses.map(pose => { view.setPose(pose); return view.lengths; })")
    np.testing.assert_allclose(found, lengths, rtol=0, atol=1e-9)


def test_nothing_is_drawn_while_nothing_changes(visit, file):
    path, _ = file
    seen = visit(path)
    seen.wait("view.frames > 0")
    # two pictures of the browser later, what was waiting to be drawn has been drawn
    rest = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(view.frames))))"
    before = seen.page.evaluate(rest)
    assert seen.page.evaluate(rest) == before
    seen.page.evaluate("view.setPose(poses[3])")
    assert seen.page.evaluate(rest) == before + 1


def test_arrow_keys_turn_it_and_a_double_click_turns_it_back(visit, file):
    path, _ = file
    seen = visit(path)
    seen.wait("view.frames > 0")
    place = "view.camera.position.toArray()"
    first = np.array(seen.page.evaluate(place))
    canvas = seen.page.locator("canvas")
    canvas.press("ArrowLeft")
    turned = np.array(seen.page.evaluate(place))
    assert np.linalg.norm(turned - first) > 0.05
    assert turned[2] == pytest.approx(first[2])
    canvas.dblclick()
    np.testing.assert_allclose(seen.page.evaluate(place), first, rtol=0, atol=1e-12)


def test_a_browser_without_webgl_gets_a_sentence(visit, file):
    path, _ = file
    seen = visit(path)
    seen.page.evaluate(
        "HTMLCanvasElement.prototype.getContext = () => null;"
        'globalThis.other = new PkmMachineView(document.body.appendChild(document.createElement("p")), '
        'JSON.parse(document.getElementById("scene").textContent)); other.setPose(poses[0]);'
    )
    assert "no WebGL" in seen.page.locator("p").inner_text()
    assert seen.errors == []


def test_any_other_machine_is_drawn_by_its_lines_which_move(visit, tmp_path):
    lines = [
        {"name": "base", "points": [[0, 0, 0], [1, 0, 0]]},
        {"name": "bodies", "points": [[0, 0, 0], [0.3, 0.4, 0.2], [1, 0, 0], [0.3, 0.4, 0.2]]},
    ]
    moved = [lines[0], {"name": "bodies", "points": [[0, 0, 0], [0.6, 0.4, 0.1]]}]
    parts = [inline_data("scene", {"name": "mast", "lines": lines}), inline_data("moved", moved)]
    parts += map(inline_script, MACHINE_SCRIPTS)
    parts += [
        "<script>const data = id => JSON.parse(document.getElementById(id).textContent);"
        'globalThis.moved = data("moved");'
        'globalThis.view = new PkmMachineView(document.getElementById("view"), data("scene"));</script>'
    ]
    path = tmp_path / "lines.html"
    path.write_text(
        '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>lines</title>'
        f'<div id="view" style="width: 480px; height: 400px"></div>{"".join(parts)}</html>',
        encoding="utf-8",
    )
    seen = visit(path)
    seen.wait("view.frames > 0")
    drawn, colours = seen.page.evaluate(f"({COLOURS})(view.picture())")
    assert drawn > 0.005
    assert colours > 3
    before = seen.page.evaluate("view.picture()")
    seen.page.evaluate("view.setPose([0, 0, 0, 0, 0, 0, 1]); view.setLines(moved)")
    assert seen.page.evaluate("view.picture()") != before
    assert seen.errors == []
