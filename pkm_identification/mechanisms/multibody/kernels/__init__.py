"""Functions over arrays that run compiled on float64 and interpreted on mpmath numbers."""
