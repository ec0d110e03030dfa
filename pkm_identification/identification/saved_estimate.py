# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""An estimate.json read again, so that an estimation can go on where it ended."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from pkm_identification.errors import DocumentError
from pkm_identification.estimation.identifiability import COMBINATION, IN_DOUBT, Combination
from pkm_identification.estimation.posterior.answer import Answer
from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet

from .answer_file import read_answer
from .estimate_file import SCHEMA, compute_state_checksum

IN_FOLDER = "estimate.json"  # what it is called in the folder of a report
# Asymmetry of a covariance, relative to its standard deviations, that is rounding.
ASYMMETRY = 1e-9


@dataclass(frozen=True)
class SavedEstimate:
    """The state of an estimation as a file keeps it.

    Attributes
    ----------
    source : str
        Path of the file, for messages.
    machine, machine_hash : str
    names : tuple of str, length P
    mean : ndarray, shape (P,)
        SI units; where the data show nothing it is the prior's.
    covariance : ndarray, shape (P, P)
        Positive definite.
    count : int
        Equations behind it.
    time : float
        Stamp of the newest sample behind it in s.
    parameter_set : str or None
        Name of the set; None in a file that does not say.
    assumptions : str or None
        What was fixed, tied or stated of it, as `Assumptions.described` tells; None in a file that does not say.
    estimator, model : str
    consistent : bool
        Whether the estimate was kept consistent with a rigid body.
    also : tuple of str
        What was estimated as well.
    samples : int
    dropped : dict of str to int
        Samples behind it, and those left out by reason.
    converged : bool
        Whether the file says that the estimator converged; those of version 0.1.0 do not say.
    status, std : dict
        Of parameters and combinations by their names, as the file states them: a misfit that put them in doubt is not
        in the covariance alone.
    combinations : tuple of Combination
        As the file states them; those of version 0.1.0 do not say their weights and are left out.
    machine_id : str or None
        Which of the machines of that description; None in a file that does not say.
    answer : Answer or None
        By the full model; None in a file of versions before, or of what is online.
    """

    source: str
    machine: str
    machine_hash: str
    names: tuple[str, ...]
    mean: FloatArray
    covariance: FloatArray
    count: int
    time: float
    parameter_set: str | None = None
    assumptions: str | None = None
    estimator: str = "ukf"
    model: str = "force"
    consistent: bool = False
    also: tuple[str, ...] = ()
    samples: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    converged: bool = False
    status: dict[str, str] = field(default_factory=dict)
    std: dict[str, float] = field(default_factory=dict)
    combinations: tuple[Combination, ...] = ()
    machine_id: str | None = None
    answer: Answer | None = None

    def check(self, machine: Machine, parameters: ParameterSet, assumptions: str | None = None) -> None:
        """Whether an estimation of these parameters of this machine can start from it.

        Parameters
        ----------
        machine : Machine
        parameters : ParameterSet
        assumptions : str, optional
            What is fixed, tied or stated of them, as `Assumptions.described` tells; None if that does not matter.

        Raises
        ------
        DocumentError
            If it belongs to another machine, or to this one with another description, other parameters or other
            relations about them. What the file does not say is not compared.
        """
        self.check_machine(machine)
        if self.names != parameters.names:
            other = sorted(set(self.names) ^ set(parameters.names))[:4]
            raise DocumentError(
                f"{self.source}: holds {len(self.names)} parameters, the set '{parameters.name}' has "
                f"{len(parameters.names)}; only one of them has {', '.join(other) or 'this order'}"
            )
        if self.parameter_set not in (None, parameters.name):
            raise DocumentError(
                f"{self.source}: holds the parameter set '{self.parameter_set}', expected '{parameters.name}'"
            )
        if assumptions is not None and self.assumptions not in (None, assumptions):
            raise DocumentError(
                f"{self.source}: was made with {_read_statement(self.assumptions)}, expected "
                f"{_read_statement(assumptions)}"
            )

    def check_machine(self, machine: Machine) -> None:
        """Raise DocumentError if the estimate belongs to another machine, or to this one with another description."""
        if self.machine_hash != machine.hash:
            whose = (
                f"machine '{self.machine}' with another description"
                if self.machine == machine.name
                else f"machine '{self.machine}'"
            )
            raise DocumentError(
                f"{self.source}: belongs to {whose} (hash {self.machine_hash}), "
                f"expected '{machine.name}' (hash {machine.hash})"
            )


def read_saved_estimate(path: str | Path) -> SavedEstimate:
    """Read the state that `write_estimate_json` keeps.

    Parameters
    ----------
    path : str or Path

    Raises
    ------
    DocumentError
        If the file cannot be read, is no estimate.json, holds no state, or the state is not finite or its covariance
        not positive definite; names file, key and what was expected.
    """
    return saved_estimate(str(path), read_estimate_document(path))


def read_estimate_document(path: str | Path) -> dict[str, Any]:
    """Return all of an estimate.json, given itself or its folder; raises DocumentError if it cannot be read."""
    path = Path(path)
    path = path / IN_FOLDER if path.is_dir() else path
    source = str(path)
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DocumentError(f"{source}: cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise DocumentError(
            f"{source}: is no estimate.json, as pkm identify writes it: {' '.join(str(error).split())}"
        ) from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise DocumentError(f"{source}: is no estimate.json of schema {SCHEMA}, as pkm identify writes it")
    return document


def saved_estimate(source: str, document: dict[str, Any]) -> SavedEstimate:
    """The state of a document that was read; `source` is what messages call it, errors are `read_saved_estimate`'s."""
    state = document.get("state")
    older = "base" in document and "drives" in document and "state_sha256" not in document
    if state is None and older:
        state = _rebuild_state(source, document)
    if not isinstance(state, dict):
        raise DocumentError(f"{source}: holds no 'state' to start from; it was written by an older version")
    names = _read_texts(source, state.get("names"), "state.names")
    also = document.get("also", [])
    mean = _read_numbers(source, state, "mean", (len(names),))
    covariance = _read_numbers(source, state, "covariance", (len(names), len(names)))
    _refuse_no_covariance(source, covariance)
    count, time = state.get("count"), state.get("time")
    if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count < 2**63:
        raise DocumentError(
            f"{source}: state.count = {_format_shown(count)}: must be a whole number, at least 0"
        )
    saved = SavedEstimate(
        source=source,
        machine=str(document.get("machine")),
        machine_hash=str(document.get("machine_hash")),
        names=names,
        mean=mean,
        covariance=covariance,
        count=count,
        time=float(_read_numbers(source, {"time": 0.0 if time is None else time}, "time", ())),
        parameter_set=_read_text(source, document, "parameter_set"),
        assumptions=_read_text(source, document, "stated"),
        estimator=_read_text(source, document, "estimator") or "ukf",
        model=_read_text(source, document, "model") or "force",
        consistent=document.get("consistent") is True,
        also=() if also == [] else _read_texts(source, also, "also"),
        samples=_count(document.get("samples")),
        dropped=_read_counts(document.get("dropped")),
        converged=document.get("converged") is True,
        **_read_statements(document.get("parameters")),
        combinations=_list_combinations(document.get("parameters"), names),
        machine_id=_read_text(source, document, "machine_id"),
        answer=read_answer(source, document.get("answer")),
    )
    # files of older versions have none
    if document.get("state_sha256") not in (None, compute_state_checksum(state)):
        raise DocumentError(
            f"{source}: the state does not match its checksum: the file is damaged, or was "
            "changed by hand (then take state_sha256 out)"
        )
    return saved


def _rebuild_state(source: str, document: dict[str, Any]) -> dict[str, Any]:
    """Return a state of values and deviations alone: versions before 0.2 kept no more of machines but hexapods."""
    entries = document.get("parameters")
    # names of combinations are sums
    rows = [one for one in entries if " " not in str(one.get("name"))] if isinstance(entries, list) else []
    try:
        mean = [float(one["nominal"] if one["value"] is None else one["value"]) for one in rows]
        variance = [float(one["std"]) ** 2 for one in rows]
    except (AttributeError, KeyError, TypeError, ValueError):
        raise DocumentError(f"{source}: parameters: must have value, std and nominal value each") from None
    return {
        "names": [one["name"] for one in rows],
        "mean": mean,
        "covariance": np.diag(variance).tolist(),
        "count": document.get("equations", 0),
        "time": 0.0,
    }


def compute_stated_deviations(path: str | Path, machine: Machine) -> dict[str, float]:
    """Return the standard deviations that an estimate.json of a machine states, by the parameters' names.

    Raises
    ------
    DocumentError
        If it cannot be read, or is another machine's.
    """
    document = read_estimate_document(path)
    if document.get("machine_hash") != machine.hash:
        raise DocumentError(
            f"{path}: belongs to machine '{document.get('machine')}' (hash {document.get('machine_hash')}), "
            f"expected '{machine.name}' (hash {machine.hash})"
        )
    return dict(_read_statements(document.get("parameters"))["std"])


def _read_statements(entries: Any) -> dict[str, dict[str, Any]]:
    """Statuses and standard deviations by name."""
    status, std = {}, {}
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict) and isinstance(entry.get("status"), str):
            status[str(entry.get("name"))] = entry["status"]
            if isinstance(entry.get("std"), (int, float)):
                std[str(entry.get("name"))] = float(entry["std"])
    return {"status": status, "std": std}


def _list_combinations(entries: Any, names: tuple[str, ...]) -> tuple[Combination, ...]:
    """Entries that are no parameter but a combination of some."""
    combinations = []
    for entry in entries if isinstance(entries, list) else []:
        if not isinstance(entry, dict) or entry.get("status") not in (COMBINATION, IN_DOUBT):
            continue
        name, terms = entry.get("name"), entry.get("weights")
        if not isinstance(name, str) or name in names or not isinstance(terms, dict) or not terms:
            continue
        numbers = [*(entry.get(key) for key in ("value", "std", "nominal")), *terms.values()]
        if not set(terms) <= set(names) or not all(_read_finite(number) for number in numbers):
            continue
        value, std, nominal, *factors = map(float, numbers)
        weights = np.zeros(len(names))
        weights[[names.index(term) for term in terms]] = factors
        combinations.append(
            Combination(name, weights, value, std, str(entry.get("unit")), nominal, entry["status"])
        )
    return tuple(combinations)


def _read_finite(value: Any) -> bool:
    return isinstance(value, (int, float)) and abs(value) <= sys.float_info.max


def _read_statement(assumptions: str) -> str:
    return f"'{assumptions}'" if assumptions else "nothing fixed, tied or stated"


def _read_text(source: str, document: dict[str, Any], key: str) -> str | None:
    text = document.get(key)
    if key in document and not isinstance(text, str):
        raise DocumentError(f"{source}: {key} = {_format_shown(text)}: must be a text")
    return text


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _read_counts(value: Any) -> dict[str, int]:
    return {str(reason): _count(count) for reason, count in value.items()} if isinstance(value, dict) else {}


def _read_texts(source: str, texts: Any, key: str) -> tuple[str, ...]:
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        raise DocumentError(f"{source}: {key} = {_format_shown(texts)}: must be a list of texts")
    return tuple(texts)


def _read_numbers(source: str, state: dict[str, Any], key: str, shape: tuple[int, ...]) -> FloatArray:
    value = state.get(key)
    try:
        numbers = np.array(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        numbers = np.empty(0)
    if numbers.shape != shape or not np.isfinite(numbers).all():
        wanted = " x ".join(map(str, shape)) + " finite numbers" if shape else "a finite number"
        raise DocumentError(f"{source}: state.{key} = {_format_shown(value)}: must be {wanted}")
    return numbers


def _refuse_no_covariance(source: str, covariance: FloatArray) -> None:
    variance = np.diag(covariance)
    problem = "has a variance that is not positive"
    if (variance > 0).all():
        std = np.sqrt(variance)
        scaled = covariance / std / std[:, None]
        problem = "is not symmetric" if np.abs(scaled - scaled.T).max() > ASYMMETRY else ""
        if not problem:
            try:
                np.linalg.cholesky(scaled)
            except np.linalg.LinAlgError:
                problem = "is not positive definite"
    if problem:
        raise DocumentError(f"{source}: state.covariance {problem}")


def _format_shown(value: Any, most: int = 60) -> str:
    text = repr(value)
    return text if len(text) <= most else text[:most] + "..."
