# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""An experiment: validated logs of one machine, with the settings that suit their sample period."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from pkm_identification.errors import LogError
from pkm_identification.estimation.estimators import Estimator, Tuning
from pkm_identification.estimation.problem import Problem
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.load import AnyMachine, as_machine
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.large_arrays import falls
from pkm_identification.numerics.memory import LONG
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.signals.causal import CausalFilter, FilterSettings
from pkm_identification.signals.forces.acting import acting, at_motors, compute_motor_side_compliance
from pkm_identification.signals.input_validation import ValidatedLog
from pkm_identification.signals.input_validation.samples import rows_of

from .elastic_drives.elastic_drive_stream import apply_deflections, has_elastic_drive_model
from .equations.transition_correction import TransitionCorrection
from .long_logs.segments import compute_samples_by_segment
from .model_errors.estimated.linearisation import Linearisation
from .problem_builder import build_problem
from .rates.kinematic_cutoff import compute_quiet_cutoff
from .rates.rate_noise import is_rounded, rate_noise
from .rates.recorded_rows import prepare_log
from .rates.sample_rate import SAME_RATE, compute_estimated_period
from .rates.slow_log import band_for, format_slow_log_sentences
from .regression.flicker import measure_flicker
from .regression.limits import apply_validation
from .regression.validation import ValidatedLogs, validate_logs
from .samples import Samples, samples_of
from .settings import Settings

# Kinematic cutoffs, relative to the chosen one, over which an estimate should not change: what it does tells of a
# systematic error that no residual shows.
OTHER_CUTOFFS = (1 / 1.5, 1.5)
HIGHEST_CUTOFF = 0.45  # of the sample rate
# A cutoff that differs less shows so little of what the choice does that noise rules: from 1.1 times the cutoff on one
# had to conclude to four times the change that it makes (`compute_error_weights`), from here on to 1.6 times.
LEAST_CHANGE = 1.25


@dataclass(frozen=True)
class Experiment:
    """Guarded logs of one experiment.

    Attributes
    ----------
    machine : Machine
    settings : Settings
        Resolved for the machine and the logs' sample period.
    logs : tuple of ValidatedLog
    sources : tuple of str
        Where the logs came from.
    dropped : dict of str to int
        Samples left out, by reason.
    warnings : tuple of str
    point : Linearisation or None
        Where effects are estimated as well: machine and logs are then those without them.
    at_motors : tuple of ValidatedLog
        The logs in front of drives that yield, where there are such.
    elastic_drives_modelled : bool
        Whether the logs are behind such drives by the model (`elastic_drives.elastic_drive_model`, online
        `elastic_drives.elastic_drive_stream`) and not by measured forces.
    flicker : ndarray, shape (n,), or None
        Range in which coordinates of drives that stand still vary at the encoders, m or rad.
    before_filter : tuple of ValidatedLog
        Of streams whose recording there is: the logs before the streams' filters.
    """

    machine: Machine
    settings: Settings
    logs: tuple[ValidatedLog, ...]
    sources: tuple[str, ...]
    dropped: dict[str, int]
    warnings: tuple[str, ...] = ()
    point: Linearisation | None = None
    at_motors: tuple[ValidatedLog, ...] = ()
    elastic_drives_modelled: bool = False
    flicker: FloatArray | None = None
    before_filter: tuple[ValidatedLog, ...] = ()
    # samples of every log that a problem was made of on the way, where they are few
    _seen: list[Samples] = field(default_factory=list, init=False, repr=False, compare=False)

    @classmethod
    def of(
        cls,
        logs: Sequence[DriveLog],
        machine: AnyMachine,
        settings: Settings | None = None,
    ) -> Experiment:
        """Validate logs at their common sample period.

        Parameters
        ----------
        logs : sequence of DriveLog
            At least one.
        machine : Machine
        settings : Settings, optional

        Raises
        ------
        LogError
            If a log holds no forces, is of another machine, runs at a wrong rate or at another than the first, or has
            no usable sample.
        SettingsError
            If a filter is impossible at that period.
        """
        machine = as_machine(machine)
        taken = validate_logs(logs, machine, settings or Settings())
        resolved, validation = taken.settings, taken.settings.validation
        measured: tuple[ValidatedLog, ...] = ()
        validated = tuple(acting(log, validation) for log in taken.logs)
        streamed = False
        if np.any(compute_motor_side_compliance(validation)):
            measured = tuple(at_motors(log, validation) for log in taken.logs)
            streamed = (
                resolved.causal
                and not resolved.estimator.also
                and has_elastic_drive_model(machine, validation)
            )
            if streamed:
                validated = tuple(
                    apply_deflections(log, machine, validation, resolved.filter) for log in measured
                )
        band = resolved.band
        if settings is None or not settings.band.cutoff:
            band = band_for(band, validated)
        warnings = taken.warnings + format_slow_log_sentences(machine, band, validated)
        dropped: Counter[str] = Counter()
        for log in logs:
            dropped.update(log.faults)
        dropped.update(taken.dropped)
        experiment = cls(
            machine, replace(resolved, band=band), validated, tuple(log.source for log in logs), dict(dropped),
            warnings, at_motors=measured, elastic_drives_modelled=streamed, flicker=_measure_flicker(taken, machine),
        )  # fmt: skip
        return experiment._beginning() if experiment.settings.estimator.also else experiment

    @classmethod
    def of_samples(
        cls, machine: Machine, settings: Settings, samples: Sequence[Samples], sources: Sequence[str],
        before_filter: tuple[ValidatedLog, ...] = (),
    ) -> Experiment:  # fmt: skip
        """Return that of logs of which smooth samples are there already: those of streams.

        Nothing is read above the kinematic low-pass, where what was noise of their forces is gone.
        """
        logs = tuple(
            ValidatedLog(
                one.time, one.motion.coordinate, None, one.segment, np.zeros(len(one), dtype=bool), {}, {},
                settings.period, source=source,
            )
            for one, source in zip(samples, sources, strict=True)
        )  # fmt: skip
        made = cls(
            machine, replace(settings, causal=False), logs, tuple(sources), {}, before_filter=before_filter
        )  # fmt: skip
        made._seen.extend(samples)
        return made

    def as_streams(self) -> Experiment:
        """Return the experiment of what is left of its logs behind the filters of a stream, of a causal run."""
        samples = [
            samples_of(
                log, self.machine, self.settings.filter, causal=True, instruments=False
            ).since_clock_jump()
            for log in self.logs
        ]
        rounded = any(np.isfinite(one.rounded_after) for one in samples)
        noise = rate_noise(self.machine, self.settings.filter)
        machine = self.machine.with_rate_noise(noise) if rounded else self.machine
        return Experiment.of_samples(machine, self.settings, samples, self.sources, self.logs)

    @property
    def recorded(self) -> tuple[ValidatedLog, ...]:
        """The logs with forces as they were recorded, as far as those are there."""
        return self.before_filter or self.logs

    def _beginning(self) -> Experiment:
        """Return the experiment with effects to be estimated as well, at the machine file's values."""
        point = Linearisation.of(self.settings.estimator, self.machine, self.logs)
        return replace(self, machine=as_machine(point.machine), point=point)

    def at(self, values: FloatArray) -> Experiment:
        """The experiment without the effects of these values (P,) of its parameters; itself where there are none."""
        if self.point is None or self.point.linear:
            return self
        point = self.point.at(values[: len(self.point.values)])
        corrections = point.corrections
        machine = as_machine(corrections.machine)
        logs = tuple(corrections.log(log) for log in point.logs)
        return replace(self, machine=machine, logs=logs, point=point)

    @property
    def parameters(self) -> ParameterSet:
        """What is estimated, without what means nothing of the machine."""
        return self.settings.parameter_set(self.machine) if self.point is None else self.point.parameters

    @property
    def period(self) -> float:
        """Sample period in s."""
        return self.settings.period

    @property
    def delay(self) -> float:
        """Delay of the causal strut filter in s; 0 offline."""
        return CausalFilter(self.settings.filter).delay if self.settings.causal else 0.0

    @property
    def estimator(self) -> Estimator:
        """The estimator of the settings; one that works on equations."""
        return self.settings.estimator.registered

    @property
    def tuning(self) -> Tuning:
        """How the recursive estimators run with these settings."""
        estimator, causal = self.settings.estimator, self.settings.causal
        return Tuning(
            estimator.unscented,
            estimator.gate if causal else 0.0,
            causal,
            estimator.data_order,
            estimator.passes,
        )

    @property
    def other_cutoffs(self) -> tuple[float, ...]:
        """Kinematic cutoffs in Hz in addition to the chosen one, which should change no estimate.

        None above what the encoders bear: there their noise changes it, which the chosen cutoff keeps out.
        """
        chosen = self.settings.filter.cutoff
        highest = min(HIGHEST_CUTOFF / self.period, compute_quiet_cutoff(self.machine, self.period))
        others = (min(chosen * factor, highest) for factor in OTHER_CUTOFFS)
        return tuple(cutoff for cutoff in others if max(cutoff / chosen, chosen / cutoff) > LEAST_CHANGE)

    @property
    def corrects_transition(self) -> bool:
        """Whether what the kinematic low-pass makes of friction's transition is taken off, as online."""
        settings = self.settings
        if not settings.causal or settings.estimator.model != "force":
            return False
        correction = TransitionCorrection(
            self.machine, self.parameters, settings.band, settings.filter.cutoff
        )
        return correction.gains is not None

    def problem(self, cutoff: float | None = None, corrected: bool = True) -> Problem:
        """Equations of all logs as one problem.

        Parameters
        ----------
        cutoff : float, optional
            Hz, replaces that of the kinematic low-pass.
        corrected : bool
            Whether friction's transition is corrected where it can be (`corrects_transition`).
        """
        settings, instruments = self.settings, self.estimator.instruments
        low_pass = replace(settings.filter, cutoff=cutoff or settings.filter.cutoff)
        logs: Iterator[Iterable[Samples]]
        if settings.causal or instruments:
            logs = (
                [samples_of(log, self.machine, low_pass, causal=settings.causal, instruments=instruments)]
                for log in self.logs
            )
        else:
            logs = (self.segments(log, low_pass) for log in self.logs)
            if cutoff is None and sum(len(log.time) for log in self.logs) <= LONG:
                self._seen.clear()
                logs = map(self._keep_segments, logs)
        return build_problem(
            self.machine, settings, logs, self.point, corrected,
            noise=self.rate_noise(low_pass), flicker=None if settings.causal else self.flicker,
        )  # fmt: skip

    def _keep_segments(self, segments: Iterable[Samples]) -> Iterator[Samples]:
        """Yield the segments of a log, which are kept as one."""
        kept = []
        for samples in segments:
            kept.append(samples)
            yield samples
        self._seen.append(Samples.concatenate(kept))

    def segments(self, log: ValidatedLog, low_pass: FilterSettings | None = None) -> Iterable[Samples]:
        """Samples of a log behind the zero-phase filter, segment after segment; all at once with effects as well."""
        low_pass = low_pass or self.settings.filter
        if self.point is not None:
            return [samples_of(log, self.machine, low_pass)]
        return compute_samples_by_segment(log, self.machine, low_pass, self.settings.band)

    def rate_noise(self, low_pass: FilterSettings | None = None) -> FloatArray | None:
        """Return the standard deviation (n,) of the drives' rates behind the kinematic low-pass.

        None where coordinates are exact: what is taken off their friction looks like friction that changes. A causal
        run is informed by the samples themselves, as online (`Samples.rounded_after`).
        """
        if not self.settings.causal and not self._rounded:
            return None
        return rate_noise(self.machine, low_pass or self.settings.filter)

    @property
    def smooth_rate_noise(self) -> FloatArray | None:
        """That of zero-phase samples, whatever the settings say."""
        return rate_noise(self.machine, self.settings.filter) if self._rounded else None

    def equations_machine(self) -> Machine:
        """Return the machine whose friction takes zero-phase rates for what they are."""
        noise = self.smooth_rate_noise
        return self.machine if noise is None else self.machine.with_rate_noise(noise)

    @cached_property
    def _rounded(self) -> bool:
        """Whether lengths are those of encoders."""
        return any(is_rounded(log.length, self.machine) for log in self.logs)

    @cached_property
    def smooth_samples(self) -> tuple[Samples, ...]:
        """Samples of every log behind the zero-phase filter, whatever the settings say."""
        if len(self._seen) == len(self.logs):
            return tuple(self._seen)
        return tuple(self.samples(log) for log in self.logs)

    def samples(self, log: ValidatedLog) -> Samples:
        """Return samples of a log behind the zero-phase filter, whatever the settings say."""
        return samples_of(log, self.machine, self.settings.filter)

    def fall_coordinates(self, log: DriveLog) -> FloatArray:
        """Return coordinates (N, n), m or rad, of the log of a fall, on a regular clock.

        Raises
        ------
        LogError
            If it runs at another rate than the experiment, or is not in one piece.
        """
        prepared, validation = prepare_log(log, self.machine), self.settings.validation
        period, _ = compute_estimated_period(prepared.log, self.machine, validation, prepared.hold)
        if abs(period / self.period - 1.0) > SAME_RATE:
            raise LogError(
                f"{log.source}: samples come at {1 / period:.4g} Hz, the other logs' at {1 / self.period:.4g} Hz"
            )
        validated = apply_validation(prepared.log, self.machine, validation)
        if len(validated) == 0 or validated.segment[0] != validated.segment[-1]:
            raise LogError(
                f"{log.source}: a fall must be recorded in one piece; samples are missing or out of limits"
            )
        return validated.coordinate

    def held_from(self) -> list[int]:
        """The row of each log from which on it is held out; the log's length where nothing is.

        That is where its clock was set back: stamps do not tell what comes before the end.
        """
        share = self.settings.hold_out
        return [
            len(log.time) if falls(log.time) else round((1.0 - share) * len(log.time)) for log in self.logs
        ]

    def ends(self) -> list[ValidatedLog]:
        """Return what is held out, of the logs of which something is."""
        pairs = zip(self.logs, self.held_from(), strict=True)
        return [rows_of(log, slice(first, None)) for log, first in pairs if first < len(log.time)]

    def beginnings(self) -> list[ValidatedLog]:
        """Return what is left of every log without its end."""
        return [rows_of(log, slice(0, first)) for log, first in zip(self.logs, self.held_from(), strict=True)]


def _measure_flicker(taken: ValidatedLogs, machine: Machine) -> FloatArray:
    cutoff = taken.settings.filter.cutoff
    found = [measure_flicker(machine, log.coordinate, log.period, cutoff) for log in taken.logs]
    return np.asarray(np.max(found, axis=0))
