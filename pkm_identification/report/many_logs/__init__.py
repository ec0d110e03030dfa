"""What many logs of a machine show, as tables, sentences and pages."""
