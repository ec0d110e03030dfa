# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Oh 2003: Y. H. Oh, Dynamic parameter identification of parallel kinematic machines, University of Florida, 2003.

A folder for each chapter that holds numbers: what the text gives and how the data are made (`data`), what is run
(`runs`), the text's statements next to ours with a verdict computed in each run (`findings`), `tables` and `figures`,
and `study`, which makes text and JSON of them. The text is only partly legible: its numbers carry marks of how certain
they are read, S sure, P probable, G guess. Nothing outside `reproduction` and `commands` imports from here.
"""
