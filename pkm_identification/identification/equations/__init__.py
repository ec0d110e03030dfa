# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Model equations: columns and measured side, low-passed alike, in the order an estimator takes them."""
