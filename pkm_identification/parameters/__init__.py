"""What is estimated: parameter sets, and what is known of parameters before the data."""
