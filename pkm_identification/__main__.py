# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`python -m pkm_identification` is `pkm`."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
