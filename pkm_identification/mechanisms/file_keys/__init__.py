# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Every key of machine and mechanism files, declared for editors (JSON Schema) and for the reference page.

Drives, loops and sensors are read by their declarations, which stand next to them (`key.read_keys`); what else must
hold of their values their readers check. Other sections have readers of their own, and a test holds the declarations
to what these allow, section by section.
"""
