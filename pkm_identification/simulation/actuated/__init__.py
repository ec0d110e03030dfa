"""Machines whose drives have states: delay lines, small steps with the actuators inside, controllers in the drives."""
