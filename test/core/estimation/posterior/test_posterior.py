# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Mode, jackknife, statuses and verdict of a curved toy model, against SciPy and against fits made again."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import least_squares

from pkm_identification.estimation.posterior.blocks import (
    FEWEST_BLOCKS,
    Blocks,
    form_normal_equations,
    split_blocks,
)
from pkm_identification.estimation.posterior.contrasts import Contrasts
from pkm_identification.estimation.posterior.mode import Information, find_mode
from pkm_identification.estimation.posterior.profile import compute_profile_deviations, is_skewed
from pkm_identification.estimation.posterior.status import (
    CONTRADICTS as IN_CONFLICT,
)
from pkm_identification.estimation.posterior.status import (
    FROM_FILE,
    IDENTIFIED,
    MOSTLY_FROM_FILE,
    NOISY,
    RESTS_ON_FILE,
    KnownValue,
    choose_status,
    is_near_zero,
)
from pkm_identification.estimation.posterior.verdict import (
    CONTRADICTS,
    DO_NOT_USE,
    FITS,
    USABLE,
    CommonFactor,
    Conflict,
    assess,
)


class MassAndPlace:
    """A log-normal mass, its place, and an offset: w = (m, m c, o)."""

    width, bent = 3, 2
    widths = np.array([1.0, 0.2, 0.5])

    def compute(self, unknowns):
        m = 2.0 * np.exp(self.widths[0] * unknowns[0])
        c = 0.3 + self.widths[1] * unknowns[1]
        slope = np.zeros((3, 3))
        slope[:, 0] = self.widths[0] * m * np.array([1.0, c, 0.0])
        slope[1, 1] = self.widths[1] * m
        slope[2, 2] = self.widths[2]
        return np.array([m, m * c, self.widths[2] * unknowns[2]]), slope


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(2)
    columns = random.normal(size=(400, 2, 3))
    truth = np.array([5.0, 1.1, 0.2])
    measured = columns @ truth + random.normal(size=(400, 2))
    return columns, measured


def test_mode_is_that_of_a_general_solver(data):
    columns, measured = data
    model = MassAndPlace()
    mode = find_mode(model, form_normal_equations(columns, measured))

    def residual(unknowns):
        return np.concatenate([(measured - columns @ model.compute(unknowns)[0]).ravel(), unknowns])

    peer = least_squares(residual, np.zeros(3), xtol=1e-14, ftol=1e-14, gtol=1e-14)
    assert mode.converged
    # within a hundredth of a posterior's deviation
    np.testing.assert_allclose(mode.unknowns, peer.x, atol=1e-2 * np.sqrt(np.diag(mode.covariance)).min())
    np.testing.assert_allclose(mode.covariance, np.linalg.inv(peer.jac.T @ peer.jac), rtol=1e-2, atol=1e-6)
    assert mode.cost == pytest.approx(2.0 * peer.cost, rel=1e-6)


@pytest.mark.parametrize("noise", [1e-3, 1e-5])
def test_a_narrow_curved_valley_is_followed_to_its_end(noise):
    """A product is known to many digits and its factors are not: straight steps leave the valley at once."""
    random = np.random.default_rng(3)
    columns = random.normal(size=(400, 2, 3)) * np.array([0.0, 1.0, 0.0])
    measured = columns @ np.array([5.0, 5.5, 0.0]) + noise * random.normal(size=(400, 2))
    model = MassAndPlace()
    mode = find_mode(model, form_normal_equations(columns / noise, measured / noise))

    def residual(unknowns):
        left = (measured - columns @ model.compute(unknowns)[0]).ravel() / noise
        return np.concatenate([left, unknowns])

    peer = least_squares(residual, mode.unknowns, x_scale="jac", xtol=1e-15, ftol=1e-15, gtol=1e-15)
    assert mode.converged
    np.testing.assert_allclose(mode.unknowns, peer.x, atol=1e-2)


def test_blocks_do_not_reach_across_segments_or_logs():
    time = np.concatenate([np.arange(0, 20, 0.1), np.arange(0, 5, 0.1)])
    segment = np.repeat([0, 1, 0], [120, 80, 50])
    log = np.repeat([0, 1], [200, 50])
    blocks = split_blocks(time, segment, log)
    assert np.concatenate(blocks).tolist() == list(range(250))
    assert len(blocks) == 25
    for rows in blocks:
        assert len(set(segment[rows])) == len(set(log[rows])) == 1


@pytest.mark.parametrize("runs", [[42], [30, 30, 30, 30, 30], [200, 7, 11]])
def test_a_short_log_has_enough_blocks_however_its_rows_divide(runs):
    segment = np.repeat(np.arange(len(runs)), runs)
    time = 0.01 * np.arange(len(segment))
    blocks = split_blocks(time, segment, np.zeros(len(segment), dtype=int))
    assert len(blocks) >= FEWEST_BLOCKS
    assert np.concatenate(blocks).tolist() == list(range(len(segment)))


@pytest.mark.parametrize(("logs", "blocks"), [(11, 22), (12, 12), (310, 300)])
def test_a_log_is_a_block_where_there_are_enough(logs, blocks):
    time = np.tile(np.arange(0, 2, 0.1), logs)
    log = np.repeat(np.arange(logs), 20)
    found = split_blocks(time, np.zeros(len(time), dtype=int), log)
    assert len(found) == blocks
    assert np.concatenate(found).tolist() == list(range(len(time)))
    assert logs == 310 or all(len(set(log[rows])) == 1 for rows in found)


def test_moves_are_those_of_fits_without_a_block(data):
    columns, measured = data
    model = MassAndPlace()
    mode = find_mode(model, form_normal_equations(columns, measured))
    chosen = np.array_split(np.arange(400), 20)
    blocks = Blocks.of(mode, columns, measured, chosen)
    moves = blocks.moves
    for number in (0, 7, 19):
        kept = np.setdiff1d(np.arange(400), chosen[number])
        without = find_mode(model, form_normal_equations(columns[kept], measured[kept]))
        # to first order in a move
        np.testing.assert_allclose(moves[number], without.unknowns - mode.unknowns, atol=3e-4)
    white = np.diag(mode.covariance @ (mode.information - np.eye(3)) @ mode.covariance)
    np.testing.assert_allclose(np.sqrt(blocks.jackknife(np.eye(3)) / white), 1.0, atol=0.5)
    assert (
        0.95
        < blocks.compute_held_out_ratios(1.0, np.zeros(3, dtype=bool))[0]
        < blocks.compute_held_out_chance(1.0)
        < 1.15
    )
    assert blocks.halves_disagreement(np.eye(3))[0] < 3.0


def draw_blocks(random, count, change):
    """Blocks of noise alone, or of unknowns that change after half of the time; few directions carry most."""
    width, size = 12, np.logspace(0.0, 1.5, 12)
    parts = np.array([(one := random.standard_normal((40, width)) * size).T @ one for _ in range(count)])
    late = np.arange(count) >= count // 2
    scores = np.array([np.linalg.cholesky(part) @ random.standard_normal(width) for part in parts])
    scores += late[:, None] * (parts @ (change / size))
    information = parts.sum(axis=0) + np.eye(width)
    mode = np.linalg.solve(information, scores.sum(axis=0))
    return Blocks(information, parts, scores - parts @ mode, np.ones(count), np.full(count, 40.0))


@pytest.mark.parametrize("count", [12, 30])
def test_halves_of_noise_differ_as_noise_says(count):
    """Of thirty correlated sums: the rms is 1 on average, and beyond what is said to be seldom as seldom."""
    random = np.random.default_rng(count)
    views = random.standard_normal((30, 12)) * [10.0, 10.0, *np.ones(10)]
    halves = np.array([draw_blocks(random, count, 0.0).halves_disagreement(views) for _ in range(300)])
    assert 0.75 < np.mean(halves[:, 0] ** 2) < 1.3
    assert np.count_nonzero(halves[:, 0] > halves[:, 1]) <= 3
    changed = np.array([draw_blocks(random, count, 1.0).halves_disagreement(views) for _ in range(20)])
    assert np.all(changed[:, 0] > changed[:, 1])


@pytest.mark.parametrize(
    ("seen", "there", "rough", "good"),
    [
        (1e-3, 1.6, False, True),  # the rest leaves it open
        (0.1, 1.6, False, True),
        (0.1, 3.6, False, False),  # the rest knows it, and is wrong
        (0.1, 3.6, True, True),  # as of a shape that is a rough one of friction near standstill
    ],
)
def test_unseen_motion_is_expected_as_badly_as_the_rest_knows_it(seen, there, rough, good):
    """The second number is felt in the last block, and little in the rest."""
    random = np.random.default_rng(3)
    columns = 10.0 * random.normal(size=(500, 1, 3))
    columns[:475, 0, 1] *= seen
    side = columns @ np.array([5.0, 1.6, 0.2]) + random.normal(size=(500, 1))
    side[475:, 0] += (there - 1.6) * columns[475:, 0, 1]
    mode = find_mode(MassAndPlace(), form_normal_equations(columns, side))
    blocks = Blocks.of(mode, columns, side, np.array_split(np.arange(500), 20))
    ratio, _ = blocks.compute_held_out_ratios(1.0, np.array([rough, rough, False]))
    assert (ratio < blocks.compute_held_out_chance(1.0)) == good


def test_jackknife_knows_a_residual_that_is_correlated():
    """The disturbance of a block is one number: twenty values are one, and white noise claims too little."""
    random = np.random.default_rng(5)
    errors, stated, white = [], [], []
    for _ in range(60):
        columns = np.repeat(random.normal(size=(40, 1, 3)), 20, axis=0) + 0.1 * random.normal(
            size=(800, 1, 3)
        )
        noise = np.repeat(random.normal(size=(40, 1)), 20, axis=0) + 0.1 * random.normal(size=(800, 1))
        truth = np.array([5.0, 1.1, 0.2])
        model = MassAndPlace()
        side = columns @ truth + noise
        mode = find_mode(model, form_normal_equations(columns, side))
        blocks = Blocks.of(mode, columns, side, np.array_split(np.arange(800), 40))
        slope = mode.slope[:1]
        errors.append(mode.values[0] - 5.0)
        stated.append(blocks.jackknife(slope)[0])
        white.append((slope @ mode.covariance @ slope.T)[0, 0])
    actual = np.mean(np.square(errors))
    assert 0.7 < np.sqrt(np.mean(stated) / actual) < 1.4
    assert np.sqrt(np.mean(white) / actual) < 0.5


@pytest.mark.parametrize(
    ("std", "of_file", "taken", "status"),
    [
        (0.02, 0.019, 0.9, IDENTIFIED),
        (0.02, 0.019, 0.3, MOSTLY_FROM_FILE),
        (0.10, 0.09, 0.9, RESTS_ON_FILE),
        (0.10, 0.05, 0.9, NOISY),
        (0.10, 0.05, 0.3, FROM_FILE),
    ],
)
def test_statuses(std, of_file, taken, status):
    assert choose_status(1.0, std, of_file, taken, 0.0) == status
    assert choose_status(1e-6, std, of_file, taken, 1.0) == status


def test_a_value_is_judged_by_what_it_can_be_only_near_zero():
    # a mass of 1.56 kg within 5.4 % of a body of 1.7 kg: 5 % of that is more than its deviation
    assert choose_status(1.56, 0.084, 0.083, 0.9, 1.7) == RESTS_ON_FILE
    assert is_near_zero(0.0021, 0.4)
    assert choose_status(0.0021, 0.017, 0.014, 0.9, 0.4) == IDENTIFIED
    assert not is_near_zero(0.0021, 0.0)
    assert choose_status(0.0021, 0.017, 0.014, 0.9, 0.0) == RESTS_ON_FILE
    # one that a wrong number moves by four deviations without being noticed, however small its deviation
    assert choose_status(1.0, 0.02, 0.005, 0.9, 0.0, 0.08) == RESTS_ON_FILE
    assert choose_status(1.0, 0.02, 0.005, 0.9, 0.0, 0.05) == IDENTIFIED
    # nor is one known of which the file says most
    assert choose_status(1.0, 0.02, 0.019, 0.5, 0.0, 0.08) == FROM_FILE
    assert choose_status(1.0, 0.02, 0.019, 0.5, 0.0, 0.05) == MOSTLY_FROM_FILE


@pytest.mark.parametrize(
    ("scales", "conflict", "rests", "grade"),
    [
        ((1.0, 0.002, 1.1, 1.0), 1.0, False, FITS),
        ((1.0, 0.002, 1.1, 1.0), 9.0, True, CONTRADICTS),
        ((1.0, 0.002, 1.1, 1.0), 9.0, False, FITS),
        ((5.0, 0.04, 1.2, 1.0), 1.0, False, USABLE),
        ((5.0, 0.04, 1.2, 1.0), 9.0, True, USABLE),
        ((5.0, 0.24, 1.1, 1.0), 1.0, False, DO_NOT_USE),
        ((5.0, 0.04, 1.6, 1.0), 1.0, False, DO_NOT_USE),
        ((float("nan"), 0.04, 1.2, 1.0), 1.0, False, FITS),
    ],
)
def test_grades(scales, conflict, rests, grade):
    verdict = assess(*scales, (Conflict("strut.body_b.mass", -conflict),), rests)
    assert verdict.grade == grade
    assert verdict.good == (grade in (FITS, USABLE))
    assert verdict.conflict == conflict
    assert ("strut.body_b.mass" in verdict.sentence) == (conflict > 4.0)


def test_a_named_factor_contradicts_whatever_rests_on_it():
    worst = (Conflict("platform.mass", 8.0),)
    factor = CommonFactor("lbf taken for N", 4.448)
    verdict = assess(1.0, 0.01, 1.0, 1.0, worst, False, factor=factor)
    assert verdict.grade == CONTRADICTS
    assert "lbf" in verdict.sentence
    assert assess(1.0, 0.01, 1.0, 1.0, worst, False, impossible="negative friction").grade == DO_NOT_USE


def test_what_may_be_the_models_error_is_none_of_the_file():
    scales, worst = (1.0, 0.02, 1.0, 1.0), (Conflict("bodies.arm.mass", 9.0),)
    assert assess(*scales, worst, True, certain=True).grade == CONTRADICTS
    assert assess(*scales, worst, True, certain=False).grade == USABLE
    assert assess(*scales, worst, True, certain=False, parts_agree=True).grade == USABLE
    assert assess(*scales, (), False, certain=False, parts_agree=True).grade == FITS
    assert assess(*scales, worst, True, certain=False, none_holds=True).grade == CONTRADICTS
    assert (
        assess(5.0, 0.3, 1.0, 1.0, worst, True, factor=CommonFactor("kN taken for N", 1e3)).grade
        == DO_NOT_USE
    )


class GuessedMass:
    """A mass that is guessed within a factor of e, and an offset: w = (m, o)."""

    width, bent = 2, 1

    def compute(self, unknowns):
        m = 2.0 * np.exp(unknowns[0])
        return np.array([m, unknowns[1]]), np.diag([m, 1.0])


def test_profile_of_a_guess_is_a_third_of_where_the_cost_has_grown_by_nine():
    model = GuessedMass()
    equations = form_normal_equations(np.array([[[1.0, 3.0]]]), np.array([[2.0]]))  # m + 3 o = 2 within 1
    mode = find_mode(model, equations)

    def view(_, values, slope):
        return float(values[0]), slope[0]

    moved = mode.covariance @ mode.slope[0]
    std = float(np.sqrt(mode.slope[0] @ moved))
    assert is_skewed(model, equations, mode, view, moved, 1.2)
    below, above = compute_profile_deviations(model, equations, mode, view, moved)
    mass = np.geomspace(0.01, 40.0, 40000)
    offset = 0.3 * (2.0 - mass)  # the best one
    cost = np.log(mass / 2.0) ** 2 + (2.0 - mass - 3.0 * offset) ** 2 + offset**2
    beyond = mass[cost > 9.0 + mode.cost]
    assert 3.0 * below == pytest.approx(2.0 - beyond[beyond < 2.0].max(), rel=0.06)
    assert 3.0 * above == pytest.approx(beyond[beyond > 2.0].min() - 2.0, rel=0.06)
    assert above > 1.2 * std > below


def test_values_of_a_linear_model_are_not_skewed():
    class Linear:
        width, bent = 2, 2

        def compute(self, unknowns):
            return unknowns, np.eye(2)

    equations = form_normal_equations(np.array([[[1.0, 3.0]]]), np.array([[2.0]]))
    mode = find_mode(Linear(), equations)
    moved = mode.covariance[0]
    parts = (Linear(), equations, mode, lambda _, values, slope: (float(values[0]), slope[0]), moved)
    assert not is_skewed(*parts, 1.001)
    assert compute_profile_deviations(*parts) == pytest.approx(2 * [float(np.sqrt(moved[0]))], rel=1e-3)


def test_usable_values_are_widened_by_what_unseen_motion_shows():
    assert assess(5.0, 0.04, 1.2, 1.4, (), False).widening == 1.4
    assert assess(1.0, 0.04, 1.2, 1.4, (), False).widening == 1.0


@pytest.mark.parametrize("wrong", [0.0, 0.5])
def test_parts_of_the_motion_disagree_where_the_model_is_wrong(wrong):
    """A column that bends where it is large: the same in every block, so no scatter over time shows it."""
    errors, deviations = [], []
    for seed in range(20):
        random = np.random.default_rng(seed)
        columns = random.normal(size=(600, 2, 3))
        truth = np.array([5.0, 1.1, 0.2])
        bent = wrong * np.maximum(np.abs(columns[:, :, 0]) - 1.0, 0.0) * np.sign(columns[:, :, 0])
        measured = columns @ truth + bent + random.normal(size=(600, 2))
        mode = find_mode(MassAndPlace(), form_normal_equations(columns, measured))
        blocks = np.array_split(np.arange(600), 20)
        inside = np.ones(600, dtype=bool)
        inside[[0, -1]] = False
        large = np.abs(columns[:, :, 0]) > 1.0
        residual = measured - columns @ mode.values
        contrasts = Contrasts.of(mode, columns, residual, blocks, [large], inside)
        errors.append(mode.values - truth)
        deviations.append(contrasts.find_model_deviations(mode.slope))
    if wrong:
        bias = np.mean(errors, axis=0)[0]
        assert bias > 0.15  # four deviations of noise
        # the estimate lies between its parts: it is as far off as they are apart, less what noise may make
        assert np.median(deviations, axis=0)[0] > 0.3 * bias
    else:
        assert np.mean(np.array(deviations) > 0.0) < 0.05


def test_a_widened_value_has_the_status_of_its_deviation():
    value = KnownValue("m", "kg", 2.0, 0.05, 0.05, 0.0, 0.99, IDENTIFIED)
    assert value.widen(1.5).status == IDENTIFIED
    assert value.widen(3.0).status == NOISY
    assert value.widen(3.0).std == pytest.approx(0.15)
    in_conflict = KnownValue("m", "kg", 2.0, 0.05, 0.05, 0.0, 0.99, IN_CONFLICT)
    assert in_conflict.widen(3.0).status == IN_CONFLICT


@pytest.mark.parametrize(("bent", "stay"), [(4, 7), (0, 5), (3, 0)])
def test_unknowns_that_are_eliminated_solve_the_whole_information(bent, stay):
    random = np.random.default_rng(8)
    equations = form_normal_equations(100.0 * random.normal(size=(60, 2, 9)), random.normal(size=(60, 2)))
    slope = random.normal(size=(9, bent + stay))
    slope[6:, :bent] = 0.0  # values that no bent unknown moves
    form = Information.of(equations, slope[:, bent:], 0.5)
    right = random.normal(size=(bent + stay, 2))
    whole = slope.T @ equations.gram @ slope + 0.5 * np.eye(bent + stay)
    np.testing.assert_allclose(form.compute(slope), whole, rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(form.factorise(slope).solve(right), np.linalg.solve(whole, right), rtol=1e-6)
