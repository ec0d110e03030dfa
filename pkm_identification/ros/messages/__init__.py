# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Messages in and out: conversion, and reading and writing them as bytes."""
