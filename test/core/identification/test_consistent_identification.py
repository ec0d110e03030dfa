# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm identify --consistent: logs in, a machine that can exist out, and a word on every estimate."""

from __future__ import annotations

import copy
import json
import re
from dataclasses import replace

import numpy as np
import pytest
import yaml
from core import synthetic
from core.platform_motions import Harmonics

from pkm_identification.cli import main
from pkm_identification.errors import PkmError
from pkm_identification.estimation.consistency.constraints import inequalities, is_physical
from pkm_identification.estimation.consistency.coordinates import FreeCoordinates
from pkm_identification.identification.identify import identify
from pkm_identification.identification.physical_verdict import verdict
from pkm_identification.identification.result import Identification
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.load import as_machine
from pkm_identification.mechanisms.hexapod.parameters.physical_layout import physical_layout
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.records.log import write_log
from pkm_identification.report.sentences import verdicts

pytestmark = pytest.mark.slow

NOMINAL, TRUTH = synthetic.nominal(), synthetic.truth()


@pytest.fixture(scope="module")
def rich():
    return synthetic.log(TRUTH, 8.0, 1, real=True)


@pytest.fixture(scope="module")
def poor():
    """The platform turns by half a degree: what its moments of inertia do drowns in the noise."""
    path = Harmonics(NOMINAL, [0.03, 0.03, 0.02, 0.008, 0.008, 0.008], [0.45, 0.8, 1.35], 3)
    return synthetic.log(TRUTH, 8.0, 3, path=path, real=True)


def run(log, estimator: str, consistent: bool, **settings) -> Identification:
    return identify(
        [log], NOMINAL, Settings.of(estimator=estimator, consistent=consistent, hold_out=0.0, **settings)
    )


def physical(result: Identification) -> bool:
    layout = FreeCoordinates.of(
        physical_layout(NOMINAL, list_hexapod_parameters(NOMINAL, result.settings.estimator.parameters))
    ).layout
    return is_physical(inequalities(layout), result.estimate.values)


@pytest.mark.usefixtures("unjudged")
def test_good_logs_give_the_same_as_without(rich):
    plain, consistent = (run(rich, "ls", kept).estimate for kept in (False, True))
    np.testing.assert_array_equal(consistent.values, plain.values)
    np.testing.assert_array_equal(consistent.std, plain.std)
    assert consistent.status == plain.status


@pytest.mark.parametrize(("estimator", "causal"), [("ukf", False), ("rls", False), ("ukf", True)])
@pytest.mark.usefixtures("unjudged")
def test_filters_agree_with_constrained_least_squares(rich, estimator, causal):
    """A quarter of a standard deviation: their priors near a bound differ, and what they take for noise.

    Causally, a filter learns its noise on the way and differs from least squares with or without bounds; so there it
    is compared with itself, as this log leaves all parameters inside.
    """
    batch = run(rich, estimator, False, causal=True) if causal else run(rich, "ls", True)
    found = run(rich, estimator, True, causal=causal)
    assert found.converged
    assert physical(found)
    # a causal run without bounds has the full model's values; its recursion's are the last of its trace
    free = batch.trace.values[-1][: len(batch.estimate.names)] if causal else batch.estimate.values
    std = batch.trace.std[-1][: len(free)] if causal else batch.estimate.std
    assert (np.abs(found.estimate.values - free) / std).max() < 0.25
    if len(found.trace):
        assert len(found.trace) == found.estimate.count
        np.testing.assert_allclose(found.trace.values[-1], found.estimate.values, rtol=1e-9)


@pytest.mark.parametrize(("estimator", "parameters"), [("ls", "extended"), ("ukf", "identifiable")])
@pytest.mark.usefixtures("unjudged")
def test_poor_logs_give_a_machine_all_the_same(poor, estimator, parameters):
    """With the relations that struts are alike, too, which set 'extended' comes with."""
    assert physical(run(poor, estimator, True, parameters=parameters))


@pytest.mark.usefixtures("unjudged")
def test_every_estimate_gets_a_word(rich):
    # without the verdict of the full model, which asks the same of its own values
    result = run(rich, "ls", False)
    assert any(good and "are consistent" in text for good, text in verdicts(result))
    values = result.estimate.values.copy()
    k = result.estimate.names.index("Izz_p")
    values[k] = values[3] + values[4] + 3.0 * result.estimate.std[k]
    values[result.estimate.names.index("coulomb_3")] = -0.5
    bad = replace(result, estimate=replace(result.estimate, values=values))
    (line,) = (text for good, text in verdicts(bad) if not good and "consistent" in text)
    start = "Not consistent with a rigid body: the platform's inertia is not that of a rigid body (principal moments "
    assert line.startswith(start)
    assert "coulomb_3 is -0.5 N, must be greater than 0" in line
    # far beyond chance: to keep it consistent would hide what is wrong
    assert "--consistent keeps" not in line
    assert "beyond chance" in line
    # Coulomb friction is known to 0.1 N, so that is where most of the distance comes from
    away = float(line.split("lies ")[1].split()[0])
    expected = 0.5 / result.estimate.std[result.estimate.names.index("coulomb_3")]
    assert 0.5 * expected < away < 2.0 * expected + 5.0


@pytest.mark.usefixtures("unjudged")
def test_what_is_not_identifiable_is_not_judged(rich):
    estimate = run(rich, "ls", False).estimate
    values = estimate.values.copy()
    k = estimate.names.index("coulomb_3")
    values[k] = -0.5
    status = tuple("unidentifiable" if i == k else one for i, one in enumerate(estimate.status))
    hidden = replace(estimate, values=values, status=status)
    judged = verdict(as_machine(NOMINAL), list_hexapod_parameters(NOMINAL), hidden, False)
    assert judged is not None
    assert judged[0]
    assert re.search("are consistent .*; all values together", judged[1])


def test_command_line_and_json(rich, tmp_path, capsys):
    log, out = tmp_path / "rich.csv", tmp_path / "estimate.json"
    write_log(log, rich)
    # masses are up to 15 % off: more than a file that says `known: cad` lets expect
    document = {key: value for key, value in NOMINAL.document.items() if key != "known"}
    (tmp_path / "machine.yaml").write_text(yaml.safe_dump(document))
    arguments = ["identify", str(log), "--machine", str(tmp_path / "machine.yaml"), "--estimator", "ls"]
    arguments += ["--json", str(out)]
    assert main([*arguments, "--consistent"]) == 0
    capsys.readouterr()
    assert json.loads(out.read_text())["consistent"] is True
    assert main(arguments) == 0
    assert json.loads(out.read_text())["consistent"] is False


@pytest.mark.parametrize("options", [(), ("--consistent",)])
def test_an_estimate_that_no_body_is_near_is_in_doubt_and_exits_1(rich, options, tmp_path, capsys):
    """The file has the struts' rods balanced at half their true place: the fit is good, and no platform like that."""
    document = copy.deepcopy(NOMINAL.document)
    document["strut"]["body_e"]["center_of_mass"] *= 0.5
    log, file, out = (tmp_path / name for name in ("rich.csv", "machine.yaml", "estimate.json"))
    write_log(log, rich)
    file.write_text(yaml.safe_dump(document))
    arguments = ["identify", str(log), "--machine", str(file), "--estimator", "ls", *options]
    assert main([*arguments, "--json", str(out)]) == 1
    text, err = capsys.readouterr()
    estimate = json.loads(out.read_text())
    assert re.search(r"contradict|from any rigid body", err)
    assert {entry["status"] for entry in estimate["parameters"]} <= {
        "in_doubt",
        "combination",
        "unidentifiable",
    }
    assert {entry["status"] for entry in estimate["parameters"] if "weights" in entry} <= {"in_doubt"}
    assert estimate["parameters"][0]["name"] in text
    assert "identified combination" not in text
    assert "--consistent keeps" not in text
    assert "--consistent gives" not in text


@pytest.mark.parametrize("estimator", ["robust", "iv"])
def test_estimators_that_cannot_say_so(estimator):
    with pytest.raises(
        PkmError, match=f"'{estimator}' cannot keep an estimate physical; ukf, ekf, rls, ls can"
    ):
        Settings.of(estimator=estimator, consistent=True)


def test_a_part_of_a_body_is_refused_before_any_log_is_read(tmp_path, capsys):
    assert (
        main(["identify", str(tmp_path / "no.csv"), "--machine", "uf", "--fix", "Ixx_p", "--consistent"]) == 2
    )
    assert "of a body only m_p, Iyy_p, Izz_p" in capsys.readouterr().err
