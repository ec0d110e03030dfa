"""What logs look like beside the model that was identified from them, for people: only a report asks for it."""
