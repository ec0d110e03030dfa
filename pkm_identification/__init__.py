# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Identification of the dynamics of parallel kinematic machines from what their drives measure.

>>> import pkm_identification as pkm
>>> result = pkm.identify("rich.csv.gz", "my_machine.yaml")          # doctest: +SKIP
>>> print(result)                                                    # doctest: +SKIP
"""

import pkgutil
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .version import __version__ as __version__

if TYPE_CHECKING:
    from .api.identification import Result, identify, load
    from .api.logs import Logs, read_logs, simulate
    from .api.machines import export, forces, forward, inverse, load_machine
    from .api.older_names import (
        MechanismResult,
        StrutLog,
        identify_mechanism,
        load_mechanism,
        mechanism_motion,
    )
    from .api.outputs import output_motion
    from .errors import (
        DocumentError,
        LogError,
        MachineError,
        NotConverged,
        OutputError,
        PkmError,
        SettingsError,
        Unidentifiable,
    )
    from .mechanisms.hexapod.machine import Machine
    from .mechanisms.multibody.mechanism import Mechanism
    from .motion import DriveLog, PlatformMotion

# The generated ROS messages (pkm_identification.msg) may be installed elsewhere on the path than this
# source folder, for example when tests run from the repository root.
__path__ = pkgutil.extend_path(__path__, __name__)

__all__ = [
    "DocumentError",
    "DriveLog",
    "LogError",
    "Logs",
    "Machine",
    "MachineError",
    "Mechanism",
    "MechanismResult",
    "NotConverged",
    "OutputError",
    "PkmError",
    "PlatformMotion",
    "Result",
    "SettingsError",
    "StrutLog",
    "Unidentifiable",
    "export",
    "forces",
    "forward",
    "identify",
    "identify_mechanism",
    "inverse",
    "load",
    "load_machine",
    "load_mechanism",
    "mechanism_motion",
    "output_motion",
    "read_logs",
    "simulate",
]

_HOMES = {
    **dict.fromkeys(("Result", "identify", "load"), "api.identification"),
    **dict.fromkeys(("Logs", "read_logs", "simulate"), "api.logs"),
    **dict.fromkeys(("export", "forces", "forward", "inverse", "load_machine"), "api.machines"),
    **dict.fromkeys(
        (
            "DocumentError",
            "LogError",
            "MachineError",
            "NotConverged",
            "OutputError",
            "PkmError",
            "SettingsError",
            "Unidentifiable",
        ),
        "errors",
    ),
    **dict.fromkeys(
        ("MechanismResult", "StrutLog", "identify_mechanism", "load_mechanism", "mechanism_motion"),
        "api.older_names",
    ),
    "output_motion": "api.outputs",
    "Machine": "mechanisms.hexapod.machine",
    "Mechanism": "mechanisms.multibody.mechanism",
    **dict.fromkeys(("PlatformMotion", "DriveLog"), "motion"),
}


def __getattr__(name: str) -> Any:
    """Load what is asked for and nothing else: the package itself is imported by every node and command."""
    if name not in _HOMES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
