"""The controller's side: commands, goals, trajectories."""
