"""What a simulated machine can have that no machine file describes: sensors that err, drive trains with states."""
