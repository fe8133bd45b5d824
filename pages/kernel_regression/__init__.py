"""Kernel regression, the first attention: all of its page and nothing else."""
