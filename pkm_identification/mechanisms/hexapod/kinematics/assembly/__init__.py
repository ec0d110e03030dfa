"""All real assembly modes of a hexapod, each with a certificate."""
