"""Columns that are called after a machine's joints instead of numbers of struts.

`length_leg_a` is our form with the joint's name; `/joint_states/leg_a/position` is how PlotJuggler writes the fields of
a `sensor_msgs/JointState` as CSV.
"""

from __future__ import annotations

from collections.abc import Sequence

# Our columns of a strut, without its number; the field of a JointState that holds the same.
STEMS = {"length": "position", "force": "effort", "enc": None, "cur": None, "motor_length": None}


def with_numbers(names: Sequence[str], joints: Sequence[str]) -> tuple[str, ...]:
    """Names of columns, those called after a joint in our form (`length_1`), all others as they are.

    A column that is there in our form already, or after the joint twice (of two topics), stays as it is.

    Parameters
    ----------
    names : sequence of str
        Of a header.
    joints : sequence of str
        Joint names of struts 1 to 6.
    """
    ours = [_ours(name, joints) for name in names]
    return tuple(
        name if found is None or found in names or ours.count(found) > 1 else found
        for name, found in zip(names, ours, strict=True)
    )


def _ours(name: str, joints: Sequence[str]) -> str | None:
    for number, joint in enumerate(joints, 1):
        for stem, field in STEMS.items():
            if name == f"{stem}_{joint}" or (field is not None and f"/{name}".endswith(f"/{joint}/{field}")):
                return f"{stem}_{number}"
    return None
