# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The first stage: samples of n drives in, validated and filtered at the stated rate out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

import numpy as np

from pkm_identification.machines.contract import Machine
from pkm_identification.motion import DriveSample
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.signals.causal import CausalFilter, FilterSettings
from pkm_identification.signals.channel_watch import ChannelFinding, ChannelWatch, step_finding
from pkm_identification.signals.continuity import NUMBERS
from pkm_identification.signals.forces.acting import corrections_of
from pkm_identification.signals.forces.correction import CorrectionStream, ForceStream
from pkm_identification.signals.input_validation import InputValidator, ValidatedSample, ValidationSettings
from pkm_identification.signals.rate import RATE_ERROR, RateWatch

from ..elastic_drives.elastic_drive_stream import ElasticDriveStream, has_elastic_drive_model
from .stage_event import StageEvent

STANDS = 10.0  # s that a step is shown for; it is over, but what was learned across it stays wrong
STEP_ONCE = 1.5  # s in which one step of a drive is seen by both who look for it
LONGEST_HOLE = 1.0  # s; what is longer is silence, not a slow stream
WRONG_RATE, NOT_FINITE_OUTPUT = "wrong_rate", "not_finite_output"

ForceStreams = Callable[[ValidationSettings, FilterSettings], list[ForceStream]]


def by_forces(validation: ValidationSettings, _: FilterSettings) -> list[ForceStream]:
    """Return what corrects samples by measured forces alone."""
    return [CorrectionStream(one, validation.period) for one in corrections_of(validation, validation.period)]


def by_model(machine: Machine) -> ForceStreams:
    """Return what corrects the samples of a machine: by a model that the stream makes itself where that is possible."""
    return partial(_build_streams, machine)


def _build_streams(
    machine: Machine, validation: ValidationSettings, filtering: FilterSettings
) -> list[ForceStream]:
    streams = by_forces(validation, filtering)
    if has_elastic_drive_model(machine, validation):
        streams[-1] = ElasticDriveStream(machine, validation, filtering, validation.period)
    return streams


class FilterStage:
    """Input validation, causal filter and rate gate of n drives, one sample at a time.

    Segments are numbered from the first stamp in ms: a process that was restarted must not go on with numbers used
    before, because stages in other processes would take its samples for a continuation.

    Parameters
    ----------
    validation : ValidationSettings
    filter_settings : FilterSettings
    streams : callable, optional
        Makes what corrects samples by the machine file: `by_forces`, or `by_model`.

    Attributes
    ----------
    validation : InputValidator
    filter : CausalFilter
    rate : RateWatch
        Of the samples the filter gets.
    received : RateWatch
        Of the good samples that came, holes up to LONGEST_HOLE included.
    events : list of StageEvent
        Of the last step.
    forces : list of ForceStream
        Make true forces of measured ones, where the machine file says how they differ.
    has_force : bool
        Whether the last accepted sample had forces.
    channels : list of ChannelFinding
        What is wrong with coordinates and forces of single drives: steps of the last STANDS s, the rest in the last
        window.
    """

    def __init__(
        self,
        validation: ValidationSettings,
        filter_settings: FilterSettings,
        streams: ForceStreams | None = None,
    ) -> None:
        self._streams = streams or by_forces
        self._make(validation, filter_settings)
        self.reset()

    def _make(self, validation: ValidationSettings, filter_settings: FilterSettings) -> None:
        self.validation = InputValidator(validation)
        self.filter = CausalFilter(filter_settings)
        self.forces = self._streams(validation, filter_settings)
        self.rate = RateWatch(1.0 / validation.period)
        self.received = RateWatch(1.0 / validation.period)
        self._watch = ChannelWatch(validation.period, validation.drives)

    def reset(self) -> None:
        """Forget everything: afterwards the stage is as newly made."""
        self._first_number: int | None = None
        self._begin_anew()

    def restart(self) -> None:
        """Forget the samples seen; the numbers of segments go on, so that stages behind notice."""
        self._leave_segments_behind()
        self._begin_anew()

    def exchange(self, validation: ValidationSettings, filter_settings: FilterSettings) -> None:
        """Go on with other settings in a new segment."""
        self._leave_segments_behind()
        self._make(validation, filter_settings)
        self._begin_anew()

    def _leave_segments_behind(self) -> None:
        if self._first_number is not None:
            self._first_number += self.validation.segment + 1

    def _begin_anew(self) -> None:
        self.validation.reset()
        self.filter.reset()
        for stream in self.forces:
            stream.reset()
        self.rate.reset()
        self.received.reset()
        self._newest = -np.inf
        self.events: list[StageEvent] = []
        self.has_force = False
        self._watch.reset()
        self._present: list[ChannelFinding] = []
        self._stepped: list[tuple[float, ChannelFinding]] = []
        self._wrong_channels = dict.fromkeys(("length_step", "length_stuck", "force_clipped"), 0)
        self._left_out = dict.fromkeys((WRONG_RATE, NOT_FINITE_OUTPUT), 0)
        self._segment = -1
        self._clock_jumps = 0

    @property
    def delay(self) -> float:
        """Constant delay in s: of the filter, and of forces that come late."""
        return self.filter.delay + sum(stream.delay for stream in self.forces)

    @property
    def counts(self) -> dict[str, int]:
        """Samples accepted and filled, left out by reason, segments begun by cause."""
        return self.validation.counts | self._wrong_channels | self._left_out

    @property
    def channels(self) -> list[ChannelFinding]:
        return [finding for _, finding in self._stepped] + self._present

    def step(self, time: float, coordinate: FloatArray, force: FloatArray | None) -> list[DriveSample]:
        """Take one sample of the drives.

        Parameters
        ----------
        time : float
            The sample's stamp in s.
        coordinate, force : ndarray, shape (n,)
            m or rad, N or N m; the force may be None.

        Returns
        -------
        list of DriveSample
            What it completes: usually one, none while the filter fills or the rate is wrong, more behind a hole.
        """
        self.events = []
        validated = self.validation.step(time, coordinate, force)
        if self.validation.last_rejection is not None:
            self.events.append(StageEvent(*self.validation.last_rejection))
            return []
        self.has_force = force is not None
        if self.validation.segment != self._segment:
            self._begin_segment(time)
        self.rate.update(time, len(validated))
        if self.forces:
            self._follow(self.rate.period)
        if not 0.0 < time - self._newest < LONGEST_HOLE:
            self.received.restart()
        self._newest = time
        self.received.update(time, 1)
        self._look_at_channels(time, coordinate, force)
        wrong_rate = self.rate.wrong
        passed = []
        for whole in self._correct_samples(validated) if self.forces else validated:
            filtered = self.filter.step(whole)
            if filtered is None:
                continue
            if wrong_rate:
                self._leave_out(
                    WRONG_RATE,
                    "the sample rate is too far off, or too many are missing: nothing is passed on",
                )
            elif self.filter.finite:
                passed.append(self._number_samples(filtered))
            else:
                self.restart()
                self._leave_out(NOT_FINITE_OUTPUT, "the filter gave a number that is not finite")
                break
        return passed

    def _follow(self, period: float) -> None:
        """Hand the period that stamps have to what differentiates in front of the filter."""
        nominal = self.validation.settings.period
        trusted = abs(period / nominal - 1.0) <= RATE_ERROR
        for stream in self.forces:
            stream.follow(period if trusted else nominal)

    def _look_at_channels(self, time: float, coordinate: FloatArray, force: FloatArray | None) -> None:
        findings = self._watch.step(time, coordinate, force)
        if findings is None and self.validation.stepped is None and not self._stepped:
            return
        stepped = [finding for finding in findings or () if finding.reason == "length_step"]
        if self.validation.stepped is not None:
            stepped.append(step_finding(self.validation.settings.drives, *self.validation.stepped))
        if self._stepped:
            self._stepped = [
                (since, finding) for since, finding in self._stepped if 0.0 <= time - since < STANDS
            ]
        for finding in stepped:
            # input validation knows at once of those that no machine makes; the window holds them as well
            if not any(
                finding.drive == known.drive and time - since < STEP_ONCE for since, known in self._stepped
            ):
                self._stepped.append((time, finding))
                self._say(finding)
        if findings is not None:
            before = {(finding.reason, finding.drive) for finding in self._present}
            self._present = [finding for finding in findings if finding.reason != "length_step"]
            for finding in self._present:
                if (finding.reason, finding.drive) not in before:
                    self._say(finding)

    def _say(self, finding: ChannelFinding) -> None:
        self._wrong_channels[finding.reason] += 1
        self.events.append(StageEvent(finding.reason, finding.text))

    def _correct_samples(
        self, validated: Iterable[ValidatedSample], first: int = 0
    ) -> Iterator[ValidatedSample]:
        """Yield what validated samples complete behind all corrections from the first on."""
        for sample in validated:
            if first == len(self.forces):
                yield sample
            else:
                yield from self._correct_samples(self.forces[first].step(sample), first + 1)

    def _number_samples(self, sample: DriveSample) -> DriveSample:
        time, coordinate, rate, acceleration, force, segment = sample
        stretched = self.validation.settings.period / self.rate.period
        if stretched != 1.0:
            # the filter differentiates by the stated period
            rate, acceleration = rate * stretched, acceleration * stretched**2
        # a third of the time that `replace` takes
        number = ((self._first_number or 0) + segment) % NUMBERS
        return DriveSample(time, coordinate, rate, acceleration, force, number)

    def _begin_segment(self, time: float) -> None:
        if self._first_number is None:
            self._first_number = int(1e3 * (time % NUMBERS))
        clock_jumps = self.validation.counts["clock_jump"]
        if clock_jumps > self._clock_jumps:
            self.events.append(
                StageEvent("clock_jump", f"stamps jumped back to {time:.6f} s: started afresh")
            )
        self._clock_jumps = clock_jumps
        self._segment = self.validation.segment
        self.rate.restart()

    def _leave_out(self, reason: str, text: str) -> None:
        self._left_out[reason] += 1
        self.events.append(StageEvent(reason, text))

    def warm_up(self, machine: Machine) -> None:
        """Compile (or load from the cache) input validation and filter with stages of their own."""
        stage = FilterStage(self.validation.settings, self.filter.settings, self._streams)
        for stream in stage.forces:
            stream.warm_up()
        home, force = machine.home, np.zeros(len(machine.drives))
        k = 0
        while not stage.step(k * stage.validation.settings.period, home, force):
            k += 1
