"""What moves, each with its model: hexapods, mechanisms of any joint graph, a pendulum; friction and drives."""
