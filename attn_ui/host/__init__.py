"""The server around the pages: its start, security, turns, limits, uploads, and what a machine can serve."""
