"""Hostile input by the thousand, seeded: nothing may crash, hang, or come out that is not finite."""
