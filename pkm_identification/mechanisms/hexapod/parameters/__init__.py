"""The hexapod's parameter sets."""
