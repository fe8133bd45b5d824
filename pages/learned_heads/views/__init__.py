"""The views of learned heads, one per file."""
