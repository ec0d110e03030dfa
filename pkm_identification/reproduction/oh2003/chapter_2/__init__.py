"""Chapter 2: contributions to the strut forces."""
