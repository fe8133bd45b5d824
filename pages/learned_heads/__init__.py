"""Heads that have learned: all of its page and nothing else."""
