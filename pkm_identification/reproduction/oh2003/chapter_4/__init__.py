"""Chapter 4: identification from simulated data."""
