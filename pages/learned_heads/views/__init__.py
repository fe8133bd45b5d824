"""The views of learned heads, one a file."""
