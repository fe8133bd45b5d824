"""Positional encoding: all of its page and nothing else."""
