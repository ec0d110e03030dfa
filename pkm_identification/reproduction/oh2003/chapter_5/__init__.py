"""Chapter 5: the staged procedure."""
