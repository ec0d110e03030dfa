"""Control of real machines: strut loops, computed torque with the identified model, checked motions, safe stops."""
