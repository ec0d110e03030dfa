"""The report's figures. Whatever imports matplotlib is in here: it takes longer to load than a log to identify."""
