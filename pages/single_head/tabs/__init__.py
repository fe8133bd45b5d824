"""One tab a file."""
