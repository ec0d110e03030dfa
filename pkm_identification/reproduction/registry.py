# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Which studies there are. Their modules are loaded only when they are run."""

from __future__ import annotations

from dataclasses import dataclass

from .finding import Outcome


@dataclass(frozen=True)
class Study:
    """A study by name.

    Attributes
    ----------
    name : str
        On the command line, and of its JSON file.
    module : str
        With a file next to it; see `study_file`.
    description : str
        One sentence for the help, without full stop.
    """

    name: str
    module: str
    description: str

    def run(self) -> Outcome:
        """Do the study."""
        from .study_file import run_file  # only a run needs the reader

        return run_file(f"{__package__}.{self.module}")


STUDIES: dict[str, Study] = {
    study.name: study
    for study in (
        Study(
            "oh2003-contributions",
            "oh2003.chapter_2.study",
            "contributions to the strut forces and sensitivity to the centre of mass, three machines in the motions of "
            "Table 2.2 (Oh 2003, section 2.4)",
        ),
        Study(
            "oh2003-pendulum",
            "oh2003.chapter_3.study",
            "double inverted pendulum on a cart in free fall, by LS, EKF and UKF, without and with 1 % noise (Oh 2003, "
            "chapter 3)",
        ),
        Study(
            "oh2003-simulation",
            "oh2003.chapter_4.study",
            "the UF machine from simulated X, Z and XY motions and free fall: friction, force and energy model, noise, "
            "order of data (Oh 2003, chapter 4)",
        ),
        Study(
            "oh2003-staged",
            "oh2003.chapter_5.study",
            "friction and inertia in stages from three trajectories of a simulated UF machine, with the cross-check of "
            "starts (Oh 2003, chapter 5)",
        ),
        Study(
            "epaas-arm",
            "machielsen1983.arm",
            "the arm EPAAS as its five hydraulic actuators feel it: inertia, coupling, modes, forces by cause "
            "(Machielsen 1983, chapters 6 and 8.2)",
        ),
        Study(
            "epaas-servo",
            "machielsen1983.servo",
            "a hydraulic servo of the EPAAS on its test set-up: identification, steps, sensitivities, reduced order "
            "(Machielsen 1983, chapters 6 to 8.1)",
        ),
        Study(
            "epaas-robot",
            "machielsen1983.robot",
            "the robot EPAAS, arm and five hydraulic servos of order 25, nonlinear: setpoint steps at start-up "
            "(Machielsen 1983, chapter 7.2)",
        ),
        Study(
            "mast-dynamics",
            "mast.dynamics",
            "the 3PRS table's mechanism as a disturbance of its axes, one step late or solved for, against the coupled "
            "equations (the paper on the 3PRS table)",
        ),
        Study(
            "mast-response",
            "mast.response",
            "frequency responses of the 3PRS table's axes and of their cascaded control, with and without delay, "
            "mechanism and friction (the paper on the 3PRS table)",
        ),
        Study(
            "mast-torque",
            "mast.torque",
            "torques of the 3PRS table's axes: friction and inertia from them, and a model that passes position and "
            "fails torque (the paper on the 3PRS table)",
        ),
        Study(
            "iriarte2017-base-parameters",
            "iriarte2017",
            "base parameters of a suspension and of four-bars in double precision, in many digits, by rules and "
            "without rounding (Iriarte et al. 2017)",
        ),
        Study(
            "ebrahimi2009-units",
            "ebrahimi2009",
            "the hexapods' regressors without units, and what changes with the units of the columns (Ebrahimi and "
            "Kövecses 2009)",
        ),
    )
}
