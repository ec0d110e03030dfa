"""What changed between estimates, and when, beyond chance."""
