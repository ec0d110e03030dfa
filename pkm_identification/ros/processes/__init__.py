"""Several nodes as processes: bring-up, demo, monitoring."""
