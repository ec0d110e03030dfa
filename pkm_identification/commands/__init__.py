# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The subcommands of `pkm`: each adds its options to the parser and runs; results go to stdout, troubles are raised."""
