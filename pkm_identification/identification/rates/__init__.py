"""What depends on the rate of the samples: their period, the cutoffs that suit it, what a slow log can show."""
