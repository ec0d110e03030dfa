"""Timings of this package beside its peers, on the same states in one run: `python -m benchmarks`."""
