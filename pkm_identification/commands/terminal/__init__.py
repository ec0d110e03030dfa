"""What a person at a terminal sees besides results: bars, colours, completed words."""
