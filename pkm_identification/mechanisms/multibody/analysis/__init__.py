"""What the structure of a mechanism shows of its parameters: states to ask, the columns there, the routes."""
