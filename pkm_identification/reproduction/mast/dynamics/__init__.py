"""The mechanism as a disturbance of its axes, computed from the sliders' motion, against the coupled equations."""
