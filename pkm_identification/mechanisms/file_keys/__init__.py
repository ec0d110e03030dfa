# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Every key of machine and mechanism files, declared for editors (JSON Schema) and for the reference page.

The readers decide what is valid; a test holds these declarations to what they allow, section by section.
"""
