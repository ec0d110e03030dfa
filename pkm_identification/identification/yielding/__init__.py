"""Strut lengths behind drives that yield: what the model says of belts and shafts between motors and struts."""
