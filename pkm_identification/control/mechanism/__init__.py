"""Control of any mechanism with loops, by its own kinematics and dynamics."""
