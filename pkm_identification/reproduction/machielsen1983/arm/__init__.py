"""The arm as its actuators feel it (Machielsen 1983, chapters 4 and 8.2): inertia, coupling, modes, forces."""
