"""What is told of mechanisms, and of machines with actuators."""
