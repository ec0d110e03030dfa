"""Chapter 3: the falling double pendulum."""
