# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The public face: every example in it runs, and what it gives can be used again."""

from __future__ import annotations

import doctest
import inspect
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pytest

import pkm_identification as pkm
from pkm_identification.estimation.identifiability import IDENTIFIABLE
from pkm_identification.mechanisms.hexapod.parameters.sets import NAMES

pytestmark = pytest.mark.slow

FUNCTIONS = [name for name in pkm.__all__ if inspect.isfunction(getattr(pkm, name))]
OLDER = {name for name in FUNCTIONS if getattr(pkm, name).__module__.endswith("older_names")}


@pytest.fixture(scope="module")
def logs():
    return pkm.simulate("uf", "rich", duration=14.0, perturb=0.1, noise=0.003, seed=2)


@pytest.fixture(scope="module")
def other():
    return pkm.simulate("uf", "rich2", duration=6.0, perturb=0.1, seed=2)


@pytest.fixture(scope="module")
def result(logs):
    return pkm.identify(logs, "uf", estimator="ls")


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in OLDER])
def test_every_function_has_an_example_that_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner()
    (example,) = finder.find(getattr(pkm, name), name)
    assert example.examples
    runner.run(example)
    assert runner.failures == 0


def test_all_is_what_there_is():
    assert set(pkm.__all__) <= set(dir(pkm))
    assert list(pkm.__all__) == sorted(pkm.__all__)
    for name in pkm.__all__:
        assert getattr(pkm, name).__doc__
    with pytest.raises(AttributeError, match="has no attribute 'identfy'"):
        _ = pkm.identfy


def test_the_import_alone_loads_nothing():
    """Nodes and commands import the package; what they do not use must not cost them time."""
    code = (
        "import sys, pkm_identification; print([n for n in ('numpy', 'numba', 'mujoco') if n in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_identify_starts_without_what_is_slow_to_import():
    """With scipy.signal and what it brings along, `pkm identify` took 2.5 s of processor time to start, not 1.3 s."""
    slow = (
        "scipy.signal", "scipy.stats", "scipy.optimize", "scipy.integrate", "scipy.ndimage", "scipy.special",
        "matplotlib", "mujoco",
    )  # fmt: skip
    code = f"import sys, pkm_identification.commands.identify; print([n for n in {slow} if n in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_inverse_and_forward_are_each_others_inverse():
    machine = pkm.load_machine("uf")
    rng = np.random.default_rng(1)
    position = machine.home_position + 0.02 * rng.uniform(-1, 1, (20, 3))
    quaternion = np.concatenate([0.05 * rng.normal(size=(20, 3)), np.ones((20, 1))], axis=1)
    poses = pkm.forward(machine, pkm.inverse(machine, position, quaternion))
    assert poses.found.all()
    np.testing.assert_allclose(poses.position, position, atol=1e-10)
    turned = pkm.inverse(machine, position, poses.rotation)
    np.testing.assert_allclose(turned, pkm.inverse(machine, position, quaternion), atol=1e-10)
    assert pkm.inverse(machine, position[0]).shape == (6,)


def test_wrong_shapes_are_named():
    with pytest.raises(ValueError, match=r"position has shape \(4,\)"):
        pkm.inverse("uf", np.zeros(4))
    with pytest.raises(ValueError, match=r"orientation has shape \(2, 4\)"):
        pkm.inverse("uf", np.zeros((3, 3)), np.ones((2, 4)))
    with pytest.raises(ValueError, match=r"lengths has shape \(5,\)"):
        pkm.forward("uf", np.ones(5))


def test_mechanisms_go_where_machines_go(tmp_path):
    table = pkm.load_machine("mast")
    poses = np.array([[0.45, np.radians(10), np.radians(-8)], [0.38, np.radians(-15), np.radians(12)]])
    heights = pkm.inverse("mast", poses)
    np.testing.assert_allclose(heights[0], [0.24262523, 0.25613815, 0.14875672], atol=1e-7)
    back = pkm.forward(table, np.vstack([heights, [[0.0, 0.3, 0.9]]]))
    assert back.found.tolist() == [True, True, False]
    np.testing.assert_allclose(back.outputs[:2], poses, atol=1e-10)
    with pytest.warns(DeprecationWarning, match="load_machine"):
        assert pkm.load_mechanism("uf").degrees_of_freedom == 6
    assert pkm.export(table, tmp_path / "mast.yaml").read_text(encoding="utf-8").startswith("schema:")
    with pytest.raises(ValueError, match=r"values have shape \(2,\), expected \(3,\) or \(N, 3\)"):
        pkm.inverse(table, np.zeros(2))
    with pytest.raises(pkm.SettingsError, match="orientation"):
        pkm.inverse(table, poses, np.ones((2, 4)))
    assert 'link name="platform"' in pkm.export(table, tmp_path / "mast.urdf").read_text(encoding="utf-8")
    with pytest.raises(TypeError, match="made by output_motion"):
        pkm.forces(table, None)


@pytest.mark.usefixtures("unjudged")
def test_a_path_an_object_or_many_are_the_same(logs, result, tmp_path):
    from pkm_identification.records.log import write_log

    path = tmp_path / "rich.csv.gz"
    write_log(path, logs[0])
    again = pkm.identify(path, pkm.load_machine("uf"), estimator="ls")
    np.testing.assert_allclose(again.table()["value"], result.table()["value"], rtol=1e-6)
    twice = pkm.identify([path, logs], "uf", estimator="ls")
    assert len(pkm.read_logs([path, logs])) == 2
    assert np.all(twice.table()["std"] < result.table()["std"])


def test_the_table_is_columns_of_one_length(result):
    table = result.table()
    assert {len(column) for column in table.values()} == {20}
    shown = table["status"] == IDENTIFIABLE
    assert np.isfinite(table["value"][shown]).all()
    assert np.isnan(table["value"][~shown]).all()
    assert set(result.combinations()) == {"name", "unit", "nominal", "value", "std"}
    assert set(result.trace()) == {"time"}


@pytest.mark.usefixtures("unjudged")
def test_the_trace_ends_at_the_estimate(logs):
    recursive = pkm.identify(logs, "uf", estimator="rls")
    trace = recursive.trace()
    assert list(trace)[1:] == list(recursive.estimate.names)
    assert trace["m_p"][-1] == pytest.approx(recursive.estimate.values[0])


@pytest.mark.usefixtures("unjudged")
def test_forces_of_another_log_are_predicted(logs, other, result):
    validation = result.predict(other)
    assert validation.measured.shape == validation.predicted.shape
    assert validation.rms_percent_total < 2.0
    assert pkm.identify(
        logs, "uf", estimator="ls", validate=other
    ).validation.rms_percent_total == pytest.approx(validation.rms_percent_total)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_saved_is_loaded_as_it_was(other, name, tmp_path):
    before = pkm.identify(other, "uf", estimator="ls", parameters=name)
    after = pkm.load(before.save(tmp_path / "estimate.json"), "uf")
    for column, values in before.table().items():
        np.testing.assert_array_equal(after.table()[column], values)
    np.testing.assert_array_equal(after.combinations()["name"], before.combinations()["name"])
    assert after.converged == before.converged
    assert after.predict(other).rms_percent_total == before.predict(other).rms_percent_total


def test_assumptions_of_a_saved_estimate_must_be_told_again(other, tmp_path):
    before = pkm.identify(other, "uf", estimator="ls", fix=["m_p=5"])
    path = before.save(tmp_path / "estimate.json")
    assert "m_p" not in pkm.load(path, "uf", fix="m_p=5").table()["name"]
    with pytest.raises(pkm.DocumentError):
        pkm.load(path, "uf")
    with pytest.raises(pkm.DocumentError, match="belongs to machine 'uf'"):
        pkm.load(path, "hexel", fix=["m_p=5"])


def test_short_and_long_text_and_a_page(result, tmp_path):
    count = np.count_nonzero(result.table()["status"] == IDENTIFIABLE)
    assert repr(result).startswith(
        f"<Result of 'uf' by ls: {count} of 20 parameters identified, held-out error"
    )
    assert len(repr(result)) < 120
    assert count >= 15
    assert str(result).count(result.answer.verdict.sentence) == 2  # first and last
    parser = HTMLParser()
    parser.feed(result._repr_html_())
    parser.close()
    assert result._repr_html_().count("<tr") >= 21
    files = result.report(tmp_path / "report")
    assert files.page.exists()
    assert files.estimate.exists()


def test_an_identified_machine_is_exported(result, tmp_path):
    path = pkm.export(result.machine_identified(), tmp_path / "identified.yaml")
    again = pkm.load_machine(path)
    assert again.platform.mass == pytest.approx(result.table()["value"][0], rel=1e-9)
    with pytest.raises(pkm.SettingsError, match="give form"):
        pkm.export("uf", tmp_path / "machine.txt")


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: pkm.load_machine("nope"), pkm.MachineError, "is neither built in"),
        (lambda: pkm.read_logs("missing.csv"), pkm.LogError, "cannot be read"),
        (lambda: pkm.read_logs([]), pkm.SettingsError, "none to read"),
        (lambda: pkm.simulate("uf", "figure-eight"), pkm.SettingsError, "figure-eight"),
        (lambda: pkm.simulate("uf", perturb=2.0), pkm.SettingsError, "perturb = 2"),
        (lambda: pkm.identify("missing.csv", "uf", estimator="magic"), pkm.SettingsError, "magic"),
        (lambda: pkm.identify("missing.csv", "uf", fix="warp"), pkm.SettingsError, "warp"),
        (lambda: pkm.load("missing.json", "uf"), pkm.DocumentError, "cannot be read"),
    ],
)
def test_mistakes_are_one_line(call, error, words):
    with pytest.raises(error, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_an_unknown_setting_is_a_type_error():
    with pytest.raises(TypeError, match="speed"):
        pkm.identify("missing.csv", "uf", speed=3)
