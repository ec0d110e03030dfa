"""Many logs of a machine, or of machines of one type: compared, and worked on again when new ones come."""
