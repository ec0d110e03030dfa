"""Mechanisms of bodies, joints and loops from one description: kinematics, dynamics, parameters, in any arithmetic."""
