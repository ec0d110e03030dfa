"""What is believed of the parameters before any data: the machine file's values, very uncertain, or what is stated."""

from __future__ import annotations

from dataclasses import dataclass

from pkm_identification.numerics.arrays import FloatArray

from .parameter_set import ParameterSet


@dataclass(frozen=True)
class Prior:
    """Independent normal prior: mean and standard deviation, shape (P,)."""

    mean: FloatArray
    std: FloatArray

    @classmethod
    def of(cls, parameters: ParameterSet) -> Prior:
        """What is stated of the parameters; else the machine file's values, uncertain by about their own size."""
        if parameters.believed is None or parameters.believed_std is None:
            return cls(parameters.nominal, parameters.scale)
        return cls(parameters.believed, parameters.believed_std)
