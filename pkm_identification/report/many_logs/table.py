# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The history of a machine as one Parquet table: a row for each log and parameter."""

from __future__ import annotations

from typing import Any

from pkm_identification.identification.many_logs.history import Entry, History
from pkm_identification.optional import library

OF_LOG = (
    ("key", "string"),
    ("log", "string"),
    ("sha256", "string"),
    ("time", "timestamp"),
    ("time_source", "string"),
    ("machine", "string"),
    ("machine_hash", "string"),
    ("failure", "string"),
    ("remark", "string"),
    ("samples", "int64"),
    ("duration", "float64"),
    ("converged", "bool_"),
    ("adequate", "bool_"),
    ("fit_ratio", "float64"),
    ("validation_percent", "float64"),
)
OF_PARAMETER = (
    ("name", "string"),
    ("unit", "string"),
    ("kind", "string"),
    ("strut", "int64"),
    ("value", "float64"),
    ("std", "float64"),
    ("own_std", "float64"),
    ("status", "string"),
    ("nominal", "float64"),
)


def parquet(history: History) -> bytes:
    """Return the table as the content of a Parquet file; a log without a result has one row without a parameter."""
    arrow, files = library("pyarrow", "fleet"), library("pyarrow.parquet", "fleet")
    rows = [
        {**_log_cells(entry, history), **{key: parameter.get(key) for key, _ in OF_PARAMETER}}
        for entry in history.entries
        for parameter in entry.record.get("parameters") or [{}]
    ]
    schema = arrow.schema(
        [
            (name, arrow.timestamp("us", tz="UTC") if kind == "timestamp" else getattr(arrow, kind)())
            for name, kind in (*OF_LOG, *OF_PARAMETER)
        ]
    )
    buffer = arrow.BufferOutputStream()
    files.write_table(arrow.Table.from_pylist(rows, schema=schema), buffer)
    return buffer.getvalue().to_pybytes()


def _log_cells(entry: Entry, history: History) -> dict[str, Any]:
    return {
        **{name: entry.record.get(name) for name, _ in OF_LOG},
        "log": entry.name,
        "sha256": entry.digest,
        "time": entry.time,
        "time_source": entry.time_source,
        "machine": history.machine.name,
        "machine_hash": history.machine.hash,
    }
