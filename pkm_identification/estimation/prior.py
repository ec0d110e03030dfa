"""What is believed of the parameters before any data: the machine file's values, very uncertain."""

from __future__ import annotations

from dataclasses import dataclass

from ..motion import FloatArray
from .parameter_set import ParameterSet


@dataclass(frozen=True)
class Prior:
    """Independent normal prior: mean and standard deviation, shape (P,)."""

    mean: FloatArray
    std: FloatArray

    @classmethod
    def of(cls, parameters: ParameterSet) -> Prior:
        """The machine file's values with standard deviations of about their own size."""
        return cls(parameters.nominal, parameters.scale)
