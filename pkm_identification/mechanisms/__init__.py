"""Other machines of the reference texts, each with its own model."""
