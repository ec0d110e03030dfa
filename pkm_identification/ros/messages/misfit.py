# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Why a model does not fit its stream, in one sentence."""

from __future__ import annotations

from pkm_identification.identification.online.judgement.fit_watch import StreamFit
from pkm_identification.report.diagnosis import describe_cause, sentence


def format_misfit_text(fit: StreamFit) -> str:
    """Return why a model does not fit: its cause and cure, or the size of a misfit that no known cause explains."""
    if fit.cause is not None and not fit.unexplained:
        return sentence(fit.cause)
    nearest = "" if fit.cause is None else f"; nearest: {describe_cause(fit.cause)}"
    return (
        f"No known cause explains the misfit, a residual of {fit.ratio:.3g} x the noise{nearest}. No value is to be "
        "used; pkm diagnose of a recorded log knows more causes."
    )
