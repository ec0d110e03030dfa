"""Signals: drive conversion, the stream guard, low-pass filters and differences."""
