# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a machine file or a parameter set leaves out, estimated as well: the option `--also`."""
